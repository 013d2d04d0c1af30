-- Take a batch. Returns {why not} or {'lease', counter, packed URLs...}.
-- KEYS: epoch, token, batch, batch urls, open, leases, waiting   ARGV: epoch, now, batch id, worker, lease ms
local now = tonumber(ARGV[2])
local state = redis.call('HGET', KEYS[3], 'state')
if not state then return {'unknown'} end
if state == 'done' then return {'done'} end
if state == 'leased' then
  local ends = redis.call('ZSCORE', KEYS[6], ARGV[3])
  if ends and tonumber(ends) > now then return {'leased'} end
end
local counter = redis.call('INCR', KEYS[2])
redis.call('HSET', KEYS[3], 'state', 'leased', 'counter', counter, 'worker', ARGV[4])
redis.call('HINCRBY', KEYS[3], 'claims', 1)
redis.call('ZADD', KEYS[6], now + tonumber(ARGV[5]), ARGV[3])
redis.call('SREM', KEYS[7], ARGV[3])
local reply = {'lease', tostring(counter)}
for _, digest in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  local packed = redis.call('HGET', KEYS[5], digest)
  if packed then
    reply[#reply + 1] = packed
  else
    redis.call('ZREM', KEYS[4], digest)
  end
end
return reply
