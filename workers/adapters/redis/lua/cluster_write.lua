-- Write to the cluster state, all or nothing, while the lock is held and nobody else has gone on.
-- KEYS: epoch, lock, meta, then the keys that are written
-- ARGV: epoch, token, sequence that the caller has seen ('' for any), commands as JSON: [["HSET", 4, …], …], where
-- the number is the place of the command's key in KEYS
-- Answers OK, LOST (the lock) or MOVED (the sequence).
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return 'LOST' end
if ARGV[3] ~= '' and (redis.call('HGET', KEYS[3], 'sequence') or '') ~= ARGV[3] then return 'MOVED' end
for _, command in ipairs(cjson.decode(ARGV[4])) do
  redis.call(command[1], KEYS[command[2]], unpack(command, 3))
end
return 'OK'
