-- Queue what the job does not know. Returns how many URLs were new.
-- KEYS: epoch, job, open, done, hosts, lane interactive, lane bulk, then one queue per host
-- ARGV: epoch, job id, number of hosts, their names, then per URL: digest, packed URL, number of its host
local lane = redis.call('HGET', KEYS[2], 'lane')
if not lane then
  return redis.error_reply('NOJOB this job was never opened')
end
local lane_key = lane == 'interactive' and KEYS[6] or KEYS[7]
local host_count = tonumber(ARGV[3])
local has_new = {}
local new = 0
for i = 4 + host_count, #ARGV, 3 do
  local digest = ARGV[i]
  if redis.call('HEXISTS', KEYS[4], digest) == 0 and redis.call('HSETNX', KEYS[3], digest, ARGV[i + 1]) == 1 then
    local host = tonumber(ARGV[i + 2])
    redis.call('RPUSH', KEYS[7 + host], digest)
    has_new[host] = true
    new = new + 1
  end
end
for host in pairs(has_new) do
  -- 0: worth a look at once. Whether the host may be asked is decided by the release.
  redis.call('ZADD', KEYS[5], 'NX', 0, ARGV[3 + host])
end
if new > 0 then
  redis.call('ZADD', lane_key, 'NX', 0, ARGV[2])
end
return new
