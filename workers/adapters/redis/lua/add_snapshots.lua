-- Remember snapshots of one file. KEYS: epoch, file numbers, file names, snapshots, newest, then the sorted sets of jobs
-- and resources   ARGV: epoch, object key, then per snapshot: id, ':line', time, how many sets, the numbers of these
local number = redis.call('HGET', KEYS[2], ARGV[2])
if not number then
  number = string.format('%x', redis.call('HLEN', KEYS[2]) + 1)
  redis.call('HSET', KEYS[2], ARGV[2], number)
  redis.call('HSET', KEYS[3], number, ARGV[2])
end
local i = 3
while i <= #ARGV do
  local id, time, sets = ARGV[i], ARGV[i + 2], tonumber(ARGV[i + 3])
  redis.call('HSET', KEYS[4], id, number .. ARGV[i + 1])
  redis.call('ZADD', KEYS[5], time, id)
  for set = 1, sets do
    redis.call('ZADD', KEYS[5 + tonumber(ARGV[i + 3 + set])], time, id)
  end
  i = i + 4 + sets
end
return 1
