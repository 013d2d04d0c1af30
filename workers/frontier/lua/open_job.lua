-- KEYS: epoch, jobs, job   ARGV: epoch, job id, created ms, lane
redis.call('ZADD', KEYS[2], 'NX', ARGV[3], ARGV[2])
redis.call('HSETNX', KEYS[3], 'lane', ARGV[4])
redis.call('HSETNX', KEYS[3], 'intake', 'open')
redis.call('HSETNX', KEYS[3], 'state', 'running')
return 1
