-- The request is over; the slot is at rest until then, for the same host or for nobody. Returns whether it was held.
-- KEYS: epoch, slots of the address   ARGV: epoch, now, who, ready at
if not redis.call('ZSCORE', KEYS[2], ARGV[3]) then return 0 end
if tonumber(ARGV[4]) > tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
else
  redis.call('ZREM', KEYS[2], ARGV[3])
end
return 1
