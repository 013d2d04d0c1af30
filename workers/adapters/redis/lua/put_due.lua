-- Note when schedules are due.
-- KEYS: epoch, due   ARGV: epoch, then per schedule: due ms, packed id
for i = 2, #ARGV, 2 do
  redis.call('ZADD', KEYS[2], ARGV[i], ARGV[i + 1])
end
return 1
