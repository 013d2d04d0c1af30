-- Mark URLs done, set others aside for their next try, give back hosts that have nothing left, and end the batch where
-- this is the last part. Returns 1; 0 where the lease was lost, and 2 where somebody has asked for another try of the
-- job's failures in the meantime: then nothing was changed.
-- KEYS: epoch, batch, batch urls, batch hosts, open, done, tally, hosts, lane, busy, pace, leases, waiting, later,
--       jobs with later, job, then one queue per host of the batch
-- ARGV: epoch, now, batch id, job id, counter, last (1 or 0), how long an ended batch is remembered (s),
--       the part that is committed (-1: none), calls for another try that the caller has seen,
--       number of done, of later, of batch hosts, of other hosts, then per done: digest, code;
--       per later: digest, packed URL, not before; per batch host: name, ready at or ''; per other: name, ready at
local now = tonumber(ARGV[2])
local batch_id, job_id = ARGV[3], ARGV[4]
local held = redis.call('HMGET', KEYS[2], 'state', 'counter')
if held[1] ~= 'leased' or held[2] ~= ARGV[5] then return 0 end
if (redis.call('HGET', KEYS[16], 'calls') or '') ~= ARGV[9] then return 2 end
local last = ARGV[6] == '1'
local done_count, later_count = tonumber(ARGV[10]), tonumber(ARGV[11])
local host_count, other_count = tonumber(ARGV[12]), tonumber(ARGV[13])
local at = 14
local before_queues = 16  -- keys
if tonumber(ARGV[8]) > tonumber(redis.call('HGET', KEYS[2], 'part') or '-1') then
  redis.call('HSET', KEYS[2], 'part', ARGV[8], 'claims', 0)  -- it got on
end
-- What is asked or written for many goes in one call for some of them: a call costs more than what it does.

local counts, seen = {}, {}
for first = 1, done_count, 500 do  -- Lua's stack holds some thousand values
  local digests, codes = {}, {}
  for _ = first, math.min(first + 499, done_count) do
    local digest = ARGV[at]
    if not seen[digest] then
      seen[digest] = true
      digests[#digests + 1] = digest
      codes[#codes + 1] = ARGV[at + 1]
    end
    at = at + 2
  end
  local opened, closed = {}, {}
  for i, packed in ipairs(redis.call('HMGET', KEYS[5], unpack(digests))) do
    if packed then
      opened[#opened + 1] = digests[i]
      closed[#closed + 1] = digests[i]
      closed[#closed + 1] = codes[i]
      counts[codes[i]] = (counts[codes[i]] or 0) + 1
    end
  end
  if #opened > 0 then
    redis.call('HDEL', KEYS[5], unpack(opened))
    redis.call('HSET', KEYS[6], unpack(closed))
  end
  redis.call('ZREM', KEYS[3], unpack(digests))
end
for code, count in pairs(counts) do redis.call('HINCRBY', KEYS[7], code, count) end

for _ = 1, later_count do
  local digest, packed, not_before = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  at = at + 3
  -- Only out of this batch: a receipt that is settled once more must not call back what has gone on.
  if redis.call('ZREM', KEYS[3], digest) == 1 and redis.call('HEXISTS', KEYS[5], digest) == 1 then
    redis.call('HSET', KEYS[5], digest, packed)
    redis.call('ZADD', KEYS[14], not_before, digest)
    redis.call('ZADD', KEYS[15], 'LT', not_before, job_id)
  end
end

local left = {}  -- number of a host to what it still has in the batch, in order
local places = redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES')
for i = 1, #places, 2 do
  local number = math.floor(tonumber(places[i + 1]) / 4096)
  left[number] = left[number] or {}
  table.insert(left[number], places[i])
end

local waits = false
for first = 1, host_count, 500 do
  local hosts, ready = {}, {}
  for _ = first, math.min(first + 499, host_count) do
    hosts[#hosts + 1] = ARGV[at]
    ready[#ready + 1] = tonumber(ARGV[at + 1]) or false
    at = at + 2
  end
  local numbers = redis.call('ZMSCORE', KEYS[4], unpack(hosts))
  local holders = redis.call('HMGET', KEYS[10], unpack(hosts))
  local given, freed, paced, later, empty = {}, {}, {}, {}, {}
  for i, host in ipairs(hosts) do
    local urls = numbers[i] and left[tonumber(numbers[i])] or {}
    if numbers[i] and (last or (ready[i] and #urls == 0)) then
      local queue, ready_at = KEYS[before_queues + first - 1 + i], ready[i] or now
      if #urls > 0 then
        local backwards = {}
        for j = #urls, 1, -1 do backwards[#backwards + 1] = urls[j] end
        redis.call('LPUSH', queue, unpack(backwards))  -- to the front, in its old order
      end
      given[#given + 1] = host
      if holders[i] == batch_id then freed[#freed + 1] = host end
      if ready_at > now then
        paced[#paced + 1] = ready_at
        paced[#paced + 1] = host
      end
      if redis.call('LLEN', queue) > 0 then
        later[#later + 1] = ready_at
        later[#later + 1] = host
      else
        empty[#empty + 1] = host
      end
    end
  end
  if #given > 0 and not last then redis.call('ZREM', KEYS[4], unpack(given)) end
  if #freed > 0 then redis.call('HDEL', KEYS[10], unpack(freed)) end
  if #paced > 0 then redis.call('ZADD', KEYS[11], 'GT', unpack(paced)) end
  if #later > 0 then
    redis.call('ZADD', KEYS[8], unpack(later))
    waits = true
  end
  if #empty > 0 then redis.call('ZREM', KEYS[8], unpack(empty)) end
end
for _ = 1, other_count do
  local host, ready_at = ARGV[at], tonumber(ARGV[at + 1])
  at = at + 2
  if ready_at > now then redis.call('ZADD', KEYS[11], 'GT', ready_at, host) end
end
if waits then redis.call('ZADD', KEYS[9], 'NX', now, job_id) end

if last then
  redis.call('DEL', KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[2], 'state', 'done')
  redis.call('EXPIRE', KEYS[2], ARGV[7])
  redis.call('ZREM', KEYS[12], batch_id)
  redis.call('SREM', KEYS[13], batch_id)
end
if redis.call('ZCARD', KEYS[8]) == 0 then
  redis.call('ZREM', KEYS[9], job_id)
end
return 1
