-- Put in force what was decided about a job.
-- KEYS: epoch, job, hosts, lane, cancelling   ARGV: epoch, now, job id, state, calls, how many calls
if redis.call('EXISTS', KEYS[2]) == 0 then
  return redis.error_reply('NOJOB this job was never opened')
end
redis.call('HSET', KEYS[2], 'state', ARGV[4], 'calls', ARGV[5], 'called', ARGV[6])
if ARGV[4] ~= 'running' then
  redis.call('ZREM', KEYS[4], ARGV[3])
elseif redis.call('ZCARD', KEYS[3]) > 0 then
  redis.call('ZADD', KEYS[4], 'NX', ARGV[2], ARGV[3])
end
if ARGV[4] == 'cancelled' then
  redis.call('SADD', KEYS[5], ARGV[3])
end
return 1
