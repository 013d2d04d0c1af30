-- Put a segment at a stage; a stage that it has reached is never gone back on. Returns 1 where it moved.
-- KEYS: epoch, segment, job's segments, job's segments with links to take, failing, parked, then one sorted set per stage,
--       first to last
-- ARGV: epoch, segment id, number of the stage (from 1), since ms (0: now by Redis' clock), whether its links are followed
--       (1 or 0), then fields and values
local reached = tonumber(redis.call('HGET', KEYS[2], 'stage_number') or '0')
local stage = tonumber(ARGV[3])
if stage <= reached then return 0 end
local since = ARGV[4]
if since == '0' then
  local time = redis.call('TIME')
  since = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
for i = 6, #ARGV, 2 do
  if ARGV[i + 1] ~= '' then redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
end
redis.call('HSET', KEYS[2], 'stage_number', stage, 'since_ms', since, 'tries', 0)
if reached > 0 then
  redis.call('HDEL', KEYS[2], 'parked', 'failures', 'put_off', 'error', 'failed')
  redis.call('ZREM', KEYS[5], ARGV[2])
  redis.call('ZREM', KEYS[6], ARGV[2])
  redis.call('ZREM', KEYS[6 + reached], ARGV[2])
end
redis.call('ZADD', KEYS[6 + stage], since, ARGV[2])
redis.call('ZADD', KEYS[3], 0, ARGV[2])
if stage > 1 then
  redis.call('SREM', KEYS[4], ARGV[2])
elseif ARGV[5] == '1' then
  redis.call('HSET', KEYS[2], 'follows', 1)
  redis.call('SADD', KEYS[4], ARGV[2])
end
return 1
