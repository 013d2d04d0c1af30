-- Forget schedules.
-- KEYS: epoch, due   ARGV: epoch, then packed ids
for i = 2, #ARGV do
  redis.call('ZREM', KEYS[2], ARGV[i])
end
return 1
