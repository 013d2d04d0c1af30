-- End what waits of a cancelled job, some of it at a time. Returns how many URLs that were, or -1 where the job is not
-- cancelled or nothing of it is open any more.
-- KEYS: epoch, job, open, done, tally, hosts, lane, later, jobs with later, cancelling, then one queue per host
-- ARGV: epoch, job id, code of the outcome, how many at a time, then the names of the hosts
local most = tonumber(ARGV[4])
local about = redis.call('HMGET', KEYS[2], 'state', 'intake')
if about[1] ~= 'cancelled' or (redis.call('HLEN', KEYS[3]) == 0 and about[2] == 'closed') then
  redis.call('SREM', KEYS[10], ARGV[2])
  return -1
end
local ended, counts = 0, {}
local function finish(digests)
  for _, digest in ipairs(digests) do
    local packed = redis.call('HGET', KEYS[3], digest)
    if packed then
      -- A page that is archived, and waits for what it needs, keeps its outcome.
      local code = string.match(packed, '^[^\n]*\n%d+%.%d+%.%d+%.(%a)') or ARGV[3]
      redis.call('HDEL', KEYS[3], digest)
      redis.call('HSET', KEYS[4], digest, code)
      counts[code] = (counts[code] or 0) + 1
      ended = ended + 1
    end
  end
end
local waiting = redis.call('ZRANGE', KEYS[8], 0, most - 1)
for _, digest in ipairs(waiting) do redis.call('ZREM', KEYS[8], digest) end
finish(waiting)
if redis.call('ZCARD', KEYS[8]) == 0 then redis.call('ZREM', KEYS[9], ARGV[2]) end
for i = 5, #ARGV do
  local queue = KEYS[6 + i]
  while ended < most do
    local digests = redis.call('LPOP', queue, 200)
    if not digests then break end
    finish(digests)
  end
  if redis.call('LLEN', queue) == 0 then redis.call('ZREM', KEYS[6], ARGV[i]) end
end
if redis.call('ZCARD', KEYS[6]) == 0 then redis.call('ZREM', KEYS[7], ARGV[2]) end
for code, count in pairs(counts) do redis.call('HINCRBY', KEYS[5], code, count) end
return ended
