-- Write to the cluster state, all or nothing, while the lock is held and nobody else has gone on.
-- KEYS: epoch, lock, meta, then the keys that are written
-- ARGV: epoch, token, sequence that the caller has seen ('' for any), then the commands, one behind the other: verb, place
-- of its key in KEYS, how many arguments follow, these
-- Answers OK, LOST (the lock) or MOVED (the sequence).
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return 'LOST' end
if ARGV[3] ~= '' and (redis.call('HGET', KEYS[3], 'sequence') or '') ~= ARGV[3] then return 'MOVED' end
local call, at, last = redis.call, 4, #ARGV
while at <= last do
  local upto = at + 2 + tonumber(ARGV[at + 2])
  call(ARGV[at], KEYS[tonumber(ARGV[at + 1])], unpack(ARGV, at + 3, upto))
  at = upto + 1
end
return 'OK'
