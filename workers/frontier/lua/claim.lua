-- Take a batch. Returns {why not} or {'lease', counter, calls for another try so far, claims without anything new,
-- parts that are known to be committed, {host, packed URLs...}...}.
-- KEYS: epoch, token, batch, batch urls, open, leases, waiting, batch hosts, job
-- ARGV: epoch, now, batch id, worker, lease ms, whether it is taken to be given back (1 or 0)
local now = tonumber(ARGV[2])
local state = redis.call('HGET', KEYS[3], 'state')
if not state then return {'unknown'} end
if state == 'done' then return {'done'} end
local job = redis.call('HMGET', KEYS[9], 'state', 'called')
local aside = redis.call('HEXISTS', KEYS[3], 'aside') == 1  -- its hosts may be in other batches
if (aside or job[1] ~= 'running') and ARGV[6] ~= '1' then return {'stopped'} end
if state == 'leased' then
  local ends = redis.call('ZSCORE', KEYS[6], ARGV[3])
  if ends and tonumber(ends) > now then return {'leased'} end
end
-- The next token, and never below the time: where a crash took Redis' last writes with it, the count goes on from an
-- earlier one, and a token would be given out twice.
local counter = string.format('%.0f', math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, now))
redis.call('SET', KEYS[2], counter)
redis.call('HSET', KEYS[3], 'state', 'leased', 'counter', counter, 'worker', ARGV[4])
local claims = redis.call('HINCRBY', KEYS[3], 'claims', 1)
redis.call('ZADD', KEYS[6], now + tonumber(ARGV[5]), ARGV[3])
redis.call('SREM', KEYS[7], ARGV[3])
local parts = tonumber(redis.call('HGET', KEYS[3], 'part') or '-1') + 1
return left_in_batch({'lease', counter, job[2] or '0', claims, parts}, KEYS[4], KEYS[5], KEYS[8])
