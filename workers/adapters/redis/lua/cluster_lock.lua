-- Take the lock of the cluster state, hold it longer, or give it back. Answers 1, or 0 where somebody else holds it.
-- KEYS: epoch, lock   ARGV: epoch, verb (take, keep, release), token, ms
local holder = redis.call('GET', KEYS[2])
if ARGV[2] == 'take' then
  if holder then return 0 end
elseif holder ~= ARGV[3] then
  return 0
end
if ARGV[2] == 'release' then
  redis.call('DEL', KEYS[2])
else
  redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
end
return 1
