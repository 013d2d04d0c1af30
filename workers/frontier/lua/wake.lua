-- Queue what has waited long enough for its next try. Returns how many URLs that were.
-- KEYS: epoch, open, later, jobs with later, hosts, lane, then one queue per host
-- ARGV: epoch, now, job id, number of hosts, their names, then per URL: digest, number of its host
local host_count = tonumber(ARGV[4])
local woken = 0
for i = 5 + host_count, #ARGV, 2 do
  local digest, host = ARGV[i], tonumber(ARGV[i + 1])
  local not_before = redis.call('ZSCORE', KEYS[3], digest)
  if not_before and tonumber(not_before) <= tonumber(ARGV[2]) then
    redis.call('ZREM', KEYS[3], digest)
    if redis.call('HEXISTS', KEYS[2], digest) == 1 then
      redis.call('RPUSH', KEYS[6 + host], digest)
      redis.call('ZADD', KEYS[5], 'NX', 0, ARGV[4 + host])
      redis.call('ZADD', KEYS[6], 'NX', 0, ARGV[3])
      woken = woken + 1
    end
  end
end
local following = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')[2]
if following then
  redis.call('ZADD', KEYS[4], following, ARGV[3])
else
  redis.call('ZREM', KEYS[4], ARGV[3])
end
return woken
