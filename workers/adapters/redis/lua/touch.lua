-- A segment's message was sent again, or (park) will not be sent any more. Returns 1 where the segment is known.
-- KEYS: epoch, segment, job's segments with links to take, then one sorted set per stage
-- ARGV: epoch, segment id, now, 'touch' or 'park'
local reached = tonumber(redis.call('HGET', KEYS[2], 'stage_number') or '0')
if reached == 0 then return 0 end
redis.call('HSET', KEYS[2], 'since_ms', ARGV[3])
if ARGV[4] == 'park' then
  redis.call('HSET', KEYS[2], 'parked', 1)
  redis.call('SREM', KEYS[3], ARGV[2])  -- what has been given up is not waited for
  redis.call('ZREM', KEYS[3 + reached], ARGV[2])
else
  redis.call('HINCRBY', KEYS[2], 'tries', 1)
  redis.call('ZADD', KEYS[3 + reached], 'XX', ARGV[3], ARGV[2])
end
return 1
