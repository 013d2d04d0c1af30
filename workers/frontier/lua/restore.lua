-- Put URLs where their receipts have them, without a lease: done, or waiting for their next try. Returns how many had
-- no outcome before. Of several answers to one URL the first counts; an answer goes before none; of several failures
-- the one that comes last here.
-- KEYS: epoch, open, done, tally, later, jobs with later
-- ARGV: epoch, job id, the codes that are answers, that of what was cancelled, then per URL: digest, code, packed URL and not before ('' where it
--       is done)
local answers = ARGV[3]
local function is_answer(code)
  return string.find(answers, code, 1, true) ~= nil
end

local new = 0
local function put(i)
  local digest, code, packed, not_before = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local before = redis.call('HGET', KEYS[3], digest)
  local waits = redis.call('ZSCORE', KEYS[5], digest)
  local known = before or waits
  local superseded = before and is_answer(before)
  -- One that is on its way again already is not called back for a failure that was meant to be followed by that.
  local on_its_way = packed ~= '' and not waits and redis.call('HEXISTS', KEYS[2], digest) == 1
  local written_off = packed ~= '' and before == ARGV[4]
  if not superseded and not on_its_way and not written_off then
    if before then
      redis.call('HDEL', KEYS[3], digest)
      if redis.call('HINCRBY', KEYS[4], before, -1) == 0 then redis.call('HDEL', KEYS[4], before) end
    end
    if packed == '' then
      redis.call('HDEL', KEYS[2], digest)
      redis.call('ZREM', KEYS[5], digest)
      redis.call('HSET', KEYS[3], digest, code)
      redis.call('HINCRBY', KEYS[4], code, 1)
    else
      redis.call('HSET', KEYS[2], digest, packed)
      redis.call('ZADD', KEYS[5], not_before, digest)
      redis.call('ZADD', KEYS[6], 'LT', not_before, ARGV[2])
    end
  end
  if not known then new = new + 1 end
end

-- What is done and was not known, as nearly all is, is written together: a call costs more than what it does.
for first = 5, #ARGV, 2000 do
  local digests = {}
  for i = first, math.min(first + 1996, #ARGV - 3), 4 do digests[#digests + 1] = ARGV[i] end
  local before = redis.call('HMGET', KEYS[3], unpack(digests))
  local waits = redis.call('ZMSCORE', KEYS[5], unpack(digests))
  local seen, fresh, done, counts, others = {}, {}, {}, {}, {}
  for place, digest in ipairs(digests) do
    local i = first + 4 * (place - 1)
    if before[place] or waits[place] or seen[digest] or ARGV[i + 2] ~= '' then
      others[#others + 1] = i
    else
      local code = ARGV[i + 1]
      fresh[#fresh + 1] = digest
      done[#done + 1] = digest
      done[#done + 1] = code
      counts[code] = (counts[code] or 0) + 1
    end
    seen[digest] = true
  end
  if #fresh > 0 then
    redis.call('HDEL', KEYS[2], unpack(fresh))
    redis.call('HSET', KEYS[3], unpack(done))
    for code, count in pairs(counts) do redis.call('HINCRBY', KEYS[4], code, count) end
    new = new + #fresh
  end
  for _, i in ipairs(others) do put(i) end
end
return new
