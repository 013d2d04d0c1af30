-- Forget schedules.
-- KEYS: epoch, due   ARGV: epoch, then packed ids
redis.call('ZREM', KEYS[2], unpack(ARGV, 2))
return 1
