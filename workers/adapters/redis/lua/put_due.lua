-- Note when schedules are due, in one command: one each takes ten times as long.
-- KEYS: epoch, due   ARGV: epoch, then per schedule: due ms, packed id
redis.call('ZADD', KEYS[2], unpack(ARGV, 2))
return 1
