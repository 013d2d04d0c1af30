-- What stands in many small keys. KEYS: epoch, then the keys   ARGV: epoch, SMEMBERS or HGETALL
local told = {}
for i = 2, #KEYS do
  told[i - 1] = redis.call(ARGV[2], KEYS[i])
end
return told
