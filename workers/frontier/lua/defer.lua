-- Take a URL out of its batch and let it wait for another host, where its visit goes on later. Returns 1, or 0 where
-- there is nothing to do: the lease was lost, or the URL has its outcome, or it has gone before.
-- KEYS: epoch, batch, batch urls, open, hosts, lane, queue of the host
-- ARGV: epoch, now, job id, counter, digest, packed URL, host
local held = redis.call('HMGET', KEYS[2], 'state', 'counter')
if held[1] ~= 'leased' or held[2] ~= ARGV[4] then return 0 end
if redis.call('HEXISTS', KEYS[4], ARGV[5]) == 0 or redis.call('ZREM', KEYS[3], ARGV[5]) == 0 then return 0 end
redis.call('HSET', KEYS[4], ARGV[5], ARGV[6])
redis.call('RPUSH', KEYS[7], ARGV[5])
redis.call('ZADD', KEYS[5], 'NX', ARGV[2], ARGV[7])
redis.call('ZADD', KEYS[6], 'NX', ARGV[2], ARGV[3])
return 1
