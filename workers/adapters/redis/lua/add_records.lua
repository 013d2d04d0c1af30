-- Remember where records of one file lie. A record that is known already is taken to have moved.
-- KEYS: epoch, file numbers, file names, records   ARGV: epoch, object key, then per record: id, ':offset:length'
local number = redis.call('HGET', KEYS[2], ARGV[2])
if not number then
  number = string.format('%x', redis.call('HLEN', KEYS[2]) + 1)
  redis.call('HSET', KEYS[2], ARGV[2], number)
  redis.call('HSET', KEYS[3], number, ARGV[2])
end
for i = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[4], ARGV[i], number .. ARGV[i + 1])
end
return 1
