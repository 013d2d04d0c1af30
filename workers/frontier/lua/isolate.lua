-- Take hosts of a batch apart: the first URL of each that is left goes into a batch of its own, which holds the host;
-- the others go back to the front of the host's queue. Returns per host a list of the new batch, the host and the
-- packed URL. Nothing where the lease was lost.
-- KEYS: epoch, batch, batch urls, batch hosts, open, hosts, lane, busy, leases, waiting,
--       then per host: its queue, new batch, urls of that, hosts of that
-- ARGV: epoch, now, batch id, job id, counter, lane, end of the wait for a worker, then per host: name, new batch id
local now = tonumber(ARGV[2])
local held = redis.call('HMGET', KEYS[2], 'state', 'counter')
if held[1] ~= 'leased' or held[2] ~= ARGV[5] then return {} end
local formed = {}
for i = 8, #ARGV, 2 do
  local host, id = ARGV[i], ARGV[i + 1]
  local at = 11 + (i - 8) * 2
  local queue = KEYS[at]
  local number = redis.call('ZSCORE', KEYS[4], host)
  if number then
    local low, high = number * 4096, number * 4096 + 4095
    local left, head = {}, nil
    for _, digest in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], low, high)) do
      if redis.call('HEXISTS', KEYS[5], digest) == 1 then left[#left + 1] = digest end
    end
    redis.call('ZREMRANGEBYSCORE', KEYS[3], low, high)
    redis.call('ZREM', KEYS[4], host)
    for place = #left, 2, -1 do redis.call('LPUSH', queue, left[place]) end
    if #left > 0 then
      redis.call('HSET', KEYS[at + 1], 'job', ARGV[4], 'lane', ARGV[6], 'state', 'released')
      redis.call('ZADD', KEYS[at + 2], 0, left[1])
      redis.call('ZADD', KEYS[at + 3], 0, host)
      redis.call('HSET', KEYS[8], host, id)
      redis.call('ZADD', KEYS[9], ARGV[7], id)
      redis.call('SADD', KEYS[10], id)
      formed[#formed + 1] = {id, host, redis.call('HGET', KEYS[5], left[1])}
    elseif redis.call('HGET', KEYS[8], host) == ARGV[3] then
      redis.call('HDEL', KEYS[8], host)
    end
    if redis.call('LLEN', queue) > 0 then
      redis.call('ZADD', KEYS[6], now, host)
      redis.call('ZADD', KEYS[7], 'NX', now, ARGV[4])
    else
      redis.call('ZREM', KEYS[6], host)
    end
  end
end
return formed
