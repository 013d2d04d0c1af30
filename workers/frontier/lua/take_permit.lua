-- Take the right to ask one host from outside of the batch that has it. Returns {'permit', holder, strikes}, or why
-- not and when to look again: {'busy', ms} or {'paced', ms}.
-- KEYS: epoch, busy, pace, permits, holders, strikes of the host, wanted
-- ARGV: epoch, now, host, holder, batch id, end of the permit, when to look again at a busy host
local now = tonumber(ARGV[2])
for _, host in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now, 'LIMIT', 0, 100)) do
  redis.call('ZREM', KEYS[4], host)  -- its holder fell silent
  redis.call('HDEL', KEYS[5], host)
end
local ends = redis.call('ZSCORE', KEYS[4], ARGV[3])
if ends and tonumber(ends) > now then
  return {'busy', tostring(math.min(tonumber(ends), tonumber(ARGV[7])))}
end
local batch = redis.call('HGET', KEYS[2], ARGV[3])
if batch and batch ~= ARGV[5] then return {'busy', ARGV[7]} end
local wanted = redis.call('ZSCORE', KEYS[7], ARGV[3])
if not batch and wanted and tonumber(wanted) > now then return {'busy', ARGV[7]} end  -- the release has seen it first
local ready_at = redis.call('ZSCORE', KEYS[3], ARGV[3])
if ready_at and tonumber(ready_at) > now then return {'paced', ready_at} end
redis.call('ZADD', KEYS[4], ARGV[6], ARGV[3])
redis.call('HSET', KEYS[5], ARGV[3], ARGV[4])
return {'permit', ARGV[4], redis.call('GET', KEYS[6]) or '0'}
