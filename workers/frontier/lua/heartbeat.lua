-- Extend a lease that still runs. Returns 1, or 0 where it was lost; 2 where it was extended so that what is left can be
-- handed back, since the job is paused or cancelled.
-- KEYS: epoch, batch, leases, job   ARGV: epoch, now, batch id, counter, lease ms, what its worker waits for
local now = tonumber(ARGV[2])
local held = redis.call('HMGET', KEYS[2], 'state', 'counter')
if held[1] ~= 'leased' or held[2] ~= ARGV[4] then return 0 end
local ends = redis.call('ZSCORE', KEYS[3], ARGV[3])
if not ends or tonumber(ends) <= now then return 0 end
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[2], 'asked', ARGV[6])
else
  redis.call('HDEL', KEYS[2], 'asked')
end
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[3])
return redis.call('HGET', KEYS[4], 'state') == 'running' and 1 or 2
