-- Queue what the job does not know. Returns how many URLs were new.
-- KEYS: epoch, job, open, done, hosts, lane interactive, lane bulk, then one queue per host
-- ARGV: epoch, job id, then per host: its name, its URLs one behind the other (workers/frontier/admission.py):
--       digest (16 bytes), length of the packed URL (4 bytes, little-endian), packed URL
local lane = redis.call('HGET', KEYS[2], 'lane')
if not lane then
  return redis.error_reply('NOJOB this job was never opened')
end
local lane_key = lane == 'interactive' and KEYS[6] or KEYS[7]
local has_done = redis.call('EXISTS', KEYS[4]) == 1
local scored = {}
local new = 0
for i = 3, #ARGV, 2 do
  local urls, at = ARGV[i + 1], 1
  local fresh = {}
  while at <= #urls do
    local digest, packed
    digest, packed, at = struct.unpack('<c16I4c0', urls, at)
    if not (has_done and redis.call('HEXISTS', KEYS[4], digest) == 1)
      and redis.call('HSETNX', KEYS[3], digest, packed) == 1 then
      fresh[#fresh + 1] = digest
    end
  end
  if #fresh > 0 then
    redis.call('RPUSH', KEYS[7 + (i - 1) / 2], unpack(fresh))
    -- 0: worth a look at once. Whether the host may be asked is decided by the release.
    scored[#scored + 1] = 0
    scored[#scored + 1] = ARGV[i]
    new = new + #fresh
  end
end
if new > 0 then
  redis.call('ZADD', KEYS[5], 'NX', unpack(scored))
  redis.call('ZADD', lane_key, 'NX', 0, ARGV[2])
end
return new
