-- KEYS: epoch, job
if redis.call('EXISTS', KEYS[2]) == 0 then
  return redis.error_reply('NOJOB this job was never opened')
end
redis.call('HSET', KEYS[2], 'intake', 'closed')
return 1
