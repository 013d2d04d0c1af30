-- Remember snapshots of one file. KEYS: epoch, file numbers, file names, snapshots, newest, then the sorted sets of jobs
-- and resources   ARGV: epoch, object key, then per snapshot: id, ':line', time, how many sets, the numbers of these
local number = redis.call('HGET', KEYS[2], ARGV[2])
if not number then
  number = string.format('%x', redis.call('HLEN', KEYS[2]) + 1)
  redis.call('HSET', KEYS[2], ARGV[2], number)
  redis.call('HSET', KEYS[3], number, ARGV[2])
end
-- Many members a call: each call costs more than what it does, here and in the append-only file.
local lines, newest, of_set = {}, {}, {}
local i = 3
while i <= #ARGV do
  local id, time, sets = ARGV[i], ARGV[i + 2], tonumber(ARGV[i + 3])
  lines[#lines + 1] = id
  lines[#lines + 1] = number .. ARGV[i + 1]
  newest[#newest + 1] = time
  newest[#newest + 1] = id
  for set = 1, sets do
    local place = 5 + tonumber(ARGV[i + 3 + set])
    local members = of_set[place] or {}
    of_set[place] = members
    members[#members + 1] = time
    members[#members + 1] = id
  end
  i = i + 4 + sets
end
if #lines == 0 then return 1 end
redis.call('HSET', KEYS[4], unpack(lines))
redis.call('ZADD', KEYS[5], unpack(newest))
for place, members in pairs(of_set) do
  redis.call('ZADD', KEYS[place], unpack(members))
end
return 1
