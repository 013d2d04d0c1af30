-- Remember where files lie that were joined into one. What is known of their records stays as it is.
-- KEYS: epoch, file numbers, file names, moves, last entry
-- ARGV: epoch, number of the entry ('': not all of its files are here), object key of the new file, then per file: object key, start in hex
local function number_of(key)
  local number = redis.call('HGET', KEYS[2], key)
  if not number then
    number = string.format('%x', redis.call('HLEN', KEYS[2]) + 1)
    redis.call('HSET', KEYS[2], key, number)
    redis.call('HSET', KEYS[3], number, key)
  end
  return number
end
local joined = number_of(ARGV[3])
for i = 4, #ARGV, 2 do
  redis.call('HSET', KEYS[4], number_of(ARGV[i]), joined .. ':' .. ARGV[i + 1])
end
if ARGV[2] ~= '' and tonumber(ARGV[2]) > tonumber(redis.call('GET', KEYS[5]) or '0') then
  redis.call('SET', KEYS[5], ARGV[2])
end
return 1
