-- Form one batch from the planned hosts that are free and may be asked now. Returns per host a list of its name and its
-- packed URLs.
-- KEYS: epoch, open, hosts, lane, busy, pace, leases, waiting, batch, batch urls, batch hosts, permits, wanted,
--       job, cancelling, then one queue per host
-- ARGV: epoch, now, job id, lane, batch id, end of the wait for a worker, how many URLs beyond its quota a host gives
--       where it has no more than these, then per host: name, quota
-- What is asked or written for many hosts goes in one call for some of them: a call costs more than what it does.
local job_state = redis.call('HGET', KEYS[14], 'state')
if job_state ~= 'running' then
  redis.call('ZREM', KEYS[4], ARGV[3])  -- who lets it run again puts it back
  if job_state == 'cancelled' then redis.call('SADD', KEYS[15], ARGV[3]) end  -- something came in since
  return {}
end
local now, rest = tonumber(ARGV[2]), tonumber(ARGV[7])
redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[13], '-inf', now)
local host_count = (#ARGV - 7) / 2
local taken, taken_count, host_number = {}, 0, 0
local any_wanted = redis.call('EXISTS', KEYS[13]) == 1

local function take(host, quota, queue, places)
  local length = redis.call('LLEN', queue)
  if length <= quota + rest then quota = quota + rest end
  local group, got = {host}, 0
  while got < quota do
    local digests = redis.call('LPOP', queue, quota - got)
    if not digests then break end
    length = length - #digests
    for i, packed in ipairs(redis.call('HMGET', KEYS[2], unpack(digests))) do
      if packed then  -- else it got its outcome while it waited
        places[#places + 1] = host_number * 4096 + got
        places[#places + 1] = digests[i]
        group[#group + 1] = packed
        got = got + 1
      end
    end
  end
  if got > 0 then taken[#taken + 1] = group end
  taken_count = taken_count + got
  return got, length
end

for first = 1, host_count, 200 do  -- Lua's stack holds some thousand values
  local last = math.min(first + 199, host_count)
  local names = {}
  for i = first, last do names[#names + 1] = ARGV[6 + 2 * i] end
  local busy = redis.call('HMGET', KEYS[5], unpack(names))
  local ready = redis.call('ZMSCORE', KEYS[6], unpack(names))
  local permits = redis.call('ZMSCORE', KEYS[12], unpack(names))
  local held, numbered, later, empty = {}, {}, {}, {}
  for i, host in ipairs(names) do
    local look_again
    if busy[i] then
      look_again = now + 1000  -- in a batch of another job
    elseif permits[i] and tonumber(permits[i]) > now then
      -- Asked from outside of a batch: look again, and let nobody else ask it before that. Else a host that many pages
      -- take their pictures from would never be released.
      look_again = now + 1000
      redis.call('ZADD', KEYS[13], now + 3000, host)
    elseif ready[i] then
      look_again = ready[i]
      if any_wanted and redis.call('ZSCORE', KEYS[13], host) then
        redis.call('ZADD', KEYS[13], ready[i] + 3000, host)
      end
    else
      if any_wanted then redis.call('ZREM', KEYS[13], host) end
      local place = first + i - 1
      local places = {}
      local got, length = take(host, tonumber(ARGV[7 + 2 * place]), KEYS[15 + place], places)
      if got > 0 then
        redis.call('ZADD', KEYS[10], unpack(places))
        held[#held + 1] = host
        held[#held + 1] = ARGV[5]
        numbered[#numbered + 1] = host_number
        numbered[#numbered + 1] = host
        host_number = host_number + 1
      end
      if length == 0 then
        empty[#empty + 1] = host
      else
        look_again = now + 60000  -- the commit says when; this is for the case that none ever comes
      end
    end
    if look_again then
      later[#later + 1] = look_again
      later[#later + 1] = host
    end
  end
  if #held > 0 then
    redis.call('HSET', KEYS[5], unpack(held))
    redis.call('ZADD', KEYS[11], unpack(numbered))
  end
  if #later > 0 then redis.call('ZADD', KEYS[3], 'XX', unpack(later)) end
  if #empty > 0 then redis.call('ZREM', KEYS[3], unpack(empty)) end
end
if redis.call('ZCARD', KEYS[3]) == 0 then
  redis.call('ZREM', KEYS[4], ARGV[3])
elseif taken_count > 0 then
  redis.call('ZADD', KEYS[4], now, ARGV[3])  -- it had its turn; a job that got nothing keeps its place
end
if taken_count > 0 then
  redis.call('HSET', KEYS[9], 'job', ARGV[3], 'lane', ARGV[4], 'state', 'released')
  redis.call('ZADD', KEYS[7], ARGV[6], ARGV[5])
  redis.call('SADD', KEYS[8], ARGV[5])
end
return taken
