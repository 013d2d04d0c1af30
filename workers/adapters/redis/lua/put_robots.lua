-- KEYS: epoch, copy of the site   ARGV: epoch, copy, for how long (ms)
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 1
