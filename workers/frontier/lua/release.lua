-- Form one batch from the planned hosts that are free and may be asked now. Returns its packed URLs.
-- KEYS: epoch, open, hosts, lane, busy, pace, leases, waiting, batch, batch urls, batch hosts, permits, wanted,
--       then one queue per host
-- ARGV: epoch, now, job id, lane, batch id, end of the wait for a worker, how many URLs beyond its quota a host gives
--       where it has no more than these, then per host: name, quota
local now, rest = tonumber(ARGV[2]), tonumber(ARGV[7])
local taken = {}
local host_number = 0
redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', now)
redis.call('ZREMRANGEBYSCORE', KEYS[13], '-inf', now)
for i = 8, #ARGV, 2 do
  local host, quota = ARGV[i], tonumber(ARGV[i + 1])
  local queue = KEYS[14 + (i - 8) / 2]
  local ready_at = redis.call('ZSCORE', KEYS[6], host)
  local permit_ends = redis.call('ZSCORE', KEYS[12], host)
  if redis.call('HEXISTS', KEYS[5], host) == 1 then
    -- In a batch of another job: look again in a second.
    redis.call('ZADD', KEYS[3], 'XX', now + 1000, host)
  elseif permit_ends and tonumber(permit_ends) > now then
    -- Asked from outside of a batch: look again, and let nobody else ask it before that. Else a host that many pages
    -- take their pictures from would never be released.
    redis.call('ZADD', KEYS[3], 'XX', now + 1000, host)
    redis.call('ZADD', KEYS[13], now + 3000, host)
  elseif ready_at then
    redis.call('ZADD', KEYS[3], 'XX', ready_at, host)
    if redis.call('ZSCORE', KEYS[13], host) then
      redis.call('ZADD', KEYS[13], ready_at + 3000, host)
    end
  else
    redis.call('ZREM', KEYS[13], host)
    local got = 0
    if redis.call('LLEN', queue) <= quota + rest then quota = quota + rest end
    while got < quota do
      local digest = redis.call('LPOP', queue)
      if not digest then break end
      local packed = redis.call('HGET', KEYS[2], digest)
      if packed then  -- else it got its outcome while it waited
        redis.call('ZADD', KEYS[10], host_number * 4096 + got, digest)
        taken[#taken + 1] = packed
        got = got + 1
      end
    end
    if got > 0 then
      redis.call('HSET', KEYS[5], host, ARGV[5])
      redis.call('ZADD', KEYS[11], host_number, host)
      host_number = host_number + 1
    end
    if redis.call('LLEN', queue) == 0 then
      redis.call('ZREM', KEYS[3], host)
    else
      -- The commit says when; this is for the case that none ever comes.
      redis.call('ZADD', KEYS[3], now + 60000, host)
    end
  end
end
if redis.call('ZCARD', KEYS[3]) == 0 then
  redis.call('ZREM', KEYS[4], ARGV[3])
elseif #taken > 0 then
  redis.call('ZADD', KEYS[4], now, ARGV[3])  -- it had its turn; a job that got nothing keeps its place
end
if #taken > 0 then
  redis.call('HSET', KEYS[9], 'job', ARGV[3], 'lane', ARGV[4], 'state', 'released')
  redis.call('ZADD', KEYS[7], ARGV[6], ARGV[5])
  redis.call('SADD', KEYS[8], ARGV[5])
end
return taken
