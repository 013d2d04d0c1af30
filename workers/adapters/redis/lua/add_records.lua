-- Remember where records of one file lie. A record that is known already is taken to have moved.
-- KEYS: epoch, file numbers, file names, records   ARGV: epoch, object key, then per record: id, ':offset:length'
local number = redis.call('HGET', KEYS[2], ARGV[2])
if not number then
  number = string.format('%x', redis.call('HLEN', KEYS[2]) + 1)
  redis.call('HSET', KEYS[2], ARGV[2], number)
  redis.call('HSET', KEYS[3], number, ARGV[2])
end
-- Many fields a call: each call costs more than what it does, here and in the append-only file.
for first = 3, #ARGV, 1000 do
  local fields = {}
  for i = first, math.min(first + 998, #ARGV - 1), 2 do
    fields[#fields + 1] = ARGV[i]
    fields[#fields + 1] = number .. ARGV[i + 1]
  end
  redis.call('HSET', KEYS[4], unpack(fields))
end
return 1
