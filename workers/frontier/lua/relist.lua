-- Give a batch an end again that has none, as where all leases were lost: a worker that has it extends that, and else it
-- runs out and the batch is sent again. Returns 1, or 0 where the batch is over or has an end.
-- KEYS: epoch, batch, leases   ARGV: epoch, batch id, end
local state = redis.call('HGET', KEYS[2], 'state')
if not state or state == 'done' then return 0 end
return redis.call('ZADD', KEYS[3], 'NX', ARGV[3], ARGV[2])
