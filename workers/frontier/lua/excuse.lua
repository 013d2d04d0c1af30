-- A delivery that failed for no fault of the batch does not count against it.
-- KEYS: epoch, batch   ARGV: epoch, counter
local held = redis.call('HMGET', KEYS[2], 'state', 'counter', 'claims')
if held[1] ~= 'leased' or held[2] ~= ARGV[2] or tonumber(held[3] or '0') <= 0 then return 0 end
redis.call('HINCRBY', KEYS[2], 'claims', -1)
return 1
