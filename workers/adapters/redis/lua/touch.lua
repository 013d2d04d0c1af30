-- What happened to a segment while it stands at a stage. Returns 1 where the segment is known.
-- sent: its message was sent again   own, other: a worker told an error, the segment's own or not
-- park: its message will not be sent any more   resume: it will after all
-- KEYS: epoch, segment, job's segments with links to take, failing, parked, then one sorted set per stage
-- ARGV: epoch, segment id, now, what happened, error
local id, now, what, error = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local reached = tonumber(redis.call('HGET', KEYS[2], 'stage_number') or '0')
if reached == 0 then return 0 end
if what == 'own' or what == 'other' then
  if redis.call('HEXISTS', KEYS[2], 'parked') == 1 then return 1 end
  redis.call('HINCRBY', KEYS[2], what == 'own' and 'failures' or 'put_off', 1)
  redis.call('HSET', KEYS[2], 'since_ms', now, 'error', error, 'failed', 1)
  redis.call('ZADD', KEYS[5 + reached], 'XX', now, id)
  redis.call('ZADD', KEYS[4], now, id)
elseif what == 'park' then
  redis.call('HSET', KEYS[2], 'since_ms', now, 'parked', 1, 'error', error)
  redis.call('ZREM', KEYS[5 + reached], id)
  redis.call('SREM', KEYS[3], id)  -- what has been given up is not waited for
  redis.call('ZREM', KEYS[4], id)
  redis.call('ZADD', KEYS[5], 0, id)
elseif what == 'resume' then
  if redis.call('HDEL', KEYS[2], 'parked') == 0 then return 1 end
  redis.call('HDEL', KEYS[2], 'failures', 'put_off', 'failed')
  redis.call('HSET', KEYS[2], 'since_ms', 0, 'tries', 0)
  redis.call('ZADD', KEYS[5 + reached], 0, id)
  redis.call('ZREM', KEYS[5], id)
  if reached == 1 and redis.call('HGET', KEYS[2], 'follows') == '1' then redis.call('SADD', KEYS[3], id) end
else
  if redis.call('HDEL', KEYS[2], 'failed') == 0 then redis.call('HINCRBY', KEYS[2], 'tries', 1) end
  redis.call('HSET', KEYS[2], 'since_ms', now)
  redis.call('ZADD', KEYS[5 + reached], 'XX', now, id)
  redis.call('ZREM', KEYS[4], id)
end
return 1
