-- The next pulse: a number that never falls, unless Redis has lost writes.
-- KEYS: epoch, lineage   ARGV: epoch
return redis.call('HINCRBY', KEYS[2], 'pulse', 1)
