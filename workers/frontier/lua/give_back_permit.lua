-- Give a host back, with the time from which it may be asked again. Returns 1, or 0 where the permit had run out: the
-- time is kept all the same, since the request was made.
-- KEYS: epoch, pace, permits, holders   ARGV: epoch, now, host, holder, ready at
if tonumber(ARGV[5]) > tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[2], 'GT', ARGV[5], ARGV[3])
end
if redis.call('HGET', KEYS[4], ARGV[3]) ~= ARGV[4] then return 0 end
redis.call('ZREM', KEYS[3], ARGV[3])
redis.call('HDEL', KEYS[4], ARGV[3])
return 1
