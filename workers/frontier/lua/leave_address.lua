-- KEYS: epoch, slots of the address   ARGV: epoch, who
return redis.call('ZREM', KEYS[2], ARGV[2])
