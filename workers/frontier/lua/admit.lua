-- Queue what the job does not know. Returns how many URLs were new.
-- KEYS: epoch, job, open, done, hosts, lane interactive, lane bulk, cancelling, then one queue per host
-- ARGV: epoch, job id, then per host: its name, its URLs one behind the other (workers/frontier/admission.py):
--       digest (16 bytes), length of the packed URL (4 bytes, little-endian), packed URL
-- What is asked or written for many goes in one call for some of them: a call costs more than what it does.
local lane, state = unpack(redis.call('HMGET', KEYS[2], 'lane', 'state'))
if not lane then
  return redis.error_reply('NOJOB this job was never opened')
end
local lane_key = lane == 'interactive' and KEYS[6] or KEYS[7]
local has_done = redis.call('EXISTS', KEYS[4]) == 1

local digests, packed_urls = {}, {}
local ends, seen = {}, {}  -- where each host's URLs end; a digest that comes twice in one call
for i = 3, #ARGV, 2 do
  local urls, at = ARGV[i + 1], 1
  while at <= #urls do
    local digest, packed
    digest, packed, at = struct.unpack('<c16I4c0', urls, at)
    if not seen[digest] then
      seen[digest] = true
      digests[#digests + 1] = digest
      packed_urls[#packed_urls + 1] = packed
    end
  end
  ends[#ends + 1] = #digests
end

local known = {}
for first = 1, #digests, 500 do  -- Lua's stack holds some thousand values
  local last = math.min(first + 499, #digests)
  local opened = redis.call('HMGET', KEYS[3], unpack(digests, first, last))
  local done = has_done and redis.call('HMGET', KEYS[4], unpack(digests, first, last)) or {}
  local fresh = {}
  for i = first, last do
    if opened[i - first + 1] or done[i - first + 1] then
      known[i] = true
    else
      fresh[#fresh + 1] = digests[i]
      fresh[#fresh + 1] = packed_urls[i]
    end
  end
  if #fresh > 0 then redis.call('HSET', KEYS[3], unpack(fresh)) end
end

local new, first = 0, 1
local scored = {}
for host, last in ipairs(ends) do
  local fresh = {}
  for i = first, last do
    if not known[i] then fresh[#fresh + 1] = digests[i] end
  end
  first = last + 1
  for from = 1, #fresh, 1000 do
    redis.call('RPUSH', KEYS[8 + host], unpack(fresh, from, math.min(from + 999, #fresh)))
  end
  if #fresh > 0 then
    new = new + #fresh
    scored[#scored + 1] = 0  -- worth a look at once. Whether the host may be asked is decided by the release.
    scored[#scored + 1] = ARGV[1 + 2 * host]
  end
end
for from = 1, #scored, 1000 do
  redis.call('ZADD', KEYS[5], 'NX', unpack(scored, from, math.min(from + 999, #scored)))
end
if new > 0 and state == 'cancelled' then
  redis.call('SADD', KEYS[8], ARGV[2])  -- somebody cancelled it meanwhile: what came in ends like the rest, unreleased
elseif new > 0 then
  redis.call('ZADD', lane_key, 'NX', 0, ARGV[2])
end
return new
