-- The clock was set: move what the frontier has noted as times along with it. Returns how many were moved; 0 where this
-- very shift was made before, and only its answer was lost. What lies between two times stays: it was noted after the
-- clock was set, and before this call.
-- KEYS: epoch, last shift, sorted sets by time
-- ARGV: epoch, by how much (ms), name of the shift, the two times between which nothing moves (the first is the later
--       one where everything moves)
if redis.call('GET', KEYS[2]) == ARGV[3] then return 0 end
redis.call('SET', KEYS[2], ARGV[3])
local from, to = tonumber(ARGV[4]), tonumber(ARGV[5])
local moved = 0
for i = 3, #KEYS do
  local found = redis.call('ZRANGE', KEYS[i], 0, -1, 'WITHSCORES')
  for at = 1, #found, 2 do
    local noted = tonumber(found[at + 1])
    if noted < from or noted > to then
      redis.call('ZINCRBY', KEYS[i], ARGV[2], found[at])
      moved = moved + 1
    end
  end
end
return moved
