-- What happened to a segment while it stands at a stage. Returns 1 where the segment is known.
-- sent: its message was sent again   own, other: a worker told an error, the segment's own or not
-- park: its message will not be sent any more   resume: it will after all
-- KEYS: epoch, segment, job's segments with links to take, failing, parked, then one sorted set per stage
-- ARGV: epoch, segment id, now, what happened, error
local segment, id, now, what, error = KEYS[2], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local reached = tonumber(redis.call('HGET', segment, 'stage_number') or '0')
if reached == 0 then return 0 end
local stage = KEYS[5 + reached]
if what == 'own' or what == 'other' then
  if redis.call('HEXISTS', segment, 'parked') == 1 then return 1 end
  redis.call('HINCRBY', segment, what == 'own' and 'failures' or 'put_off', 1)
  redis.call('HSET', segment, 'since_ms', now, 'error', error, 'failed', 1)
  redis.call('ZADD', stage, 'XX', now, id)
  redis.call('ZADD', KEYS[4], now, id)
elseif what == 'park' then
  redis.call('HSET', segment, 'since_ms', now, 'parked', 1, 'error', error)
  redis.call('ZREM', stage, id)
  redis.call('SREM', KEYS[3], id)  -- what has been given up is not waited for
  redis.call('ZREM', KEYS[4], id)
  redis.call('ZADD', KEYS[5], 0, id)
elseif what == 'resume' then
  if redis.call('HDEL', segment, 'parked') == 0 then return 1 end
  redis.call('HDEL', segment, 'failures', 'put_off', 'failed')
  redis.call('HSET', segment, 'since_ms', 0, 'tries', 0)
  redis.call('ZADD', stage, 0, id)
  redis.call('ZREM', KEYS[5], id)
  if reached == 1 and redis.call('HGET', segment, 'follows') == '1' then redis.call('SADD', KEYS[3], id) end
else
  if redis.call('HDEL', segment, 'failed') == 0 then redis.call('HINCRBY', segment, 'tries', 1) end
  redis.call('HSET', segment, 'since_ms', now)
  redis.call('ZADD', stage, 'XX', now, id)
  redis.call('ZREM', KEYS[4], id)
end
return 1
