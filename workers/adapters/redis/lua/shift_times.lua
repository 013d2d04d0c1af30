-- The clock was set: move what the frontier has noted as times along with it. Returns how many were moved; 0 where this
-- very shift was made before, and only its answer was lost.
-- KEYS: epoch, last shift, sorted sets by time   ARGV: epoch, by how much (ms), name of the shift
if redis.call('GET', KEYS[2]) == ARGV[3] then return 0 end
redis.call('SET', KEYS[2], ARGV[3])
local moved = 0
for i = 3, #KEYS do
  for _, member in ipairs(redis.call('ZRANGE', KEYS[i], 0, -1)) do
    redis.call('ZINCRBY', KEYS[i], ARGV[2], member)
    moved = moved + 1
  end
end
return moved
