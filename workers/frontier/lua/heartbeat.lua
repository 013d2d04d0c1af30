-- Extend a lease that still runs. Returns 1, or 0 where it was lost.
-- KEYS: epoch, batch, leases   ARGV: epoch, now, batch id, counter, lease ms
local now = tonumber(ARGV[2])
local held = redis.call('HMGET', KEYS[2], 'state', 'counter')
if held[1] ~= 'leased' or held[2] ~= ARGV[4] then return 0 end
local ends = redis.call('ZSCORE', KEYS[3], ARGV[3])
if not ends or tonumber(ends) <= now then return 0 end
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[3])
return 1
