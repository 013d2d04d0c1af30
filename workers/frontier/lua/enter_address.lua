-- Be one of the few hosts that are served at a time on one address. Returns {'in'}, or {'full', when the first leaves}.
-- KEYS: epoch, slots of the address   ARGV: epoch, now, who, end of the slot, how many may be, how long it ends from now
local now = tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if not redis.call('ZSCORE', KEYS[2], ARGV[3]) and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then
  return {'full', redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]}
end
redis.call('ZADD', KEYS[2], 'GT', ARGV[4], ARGV[3])
redis.call('PEXPIRE', KEYS[2], tonumber(ARGV[6]) * 2)
return {'in'}
