-- Remember versions of URLs; of one URL the newest capture counts.
-- KEYS: epoch, versions   ARGV: epoch, then per URL: field, microseconds of its capture, packed or '' to forget it
for i = 2, #ARGV, 3 do
  local known = redis.call('HGET', KEYS[2], ARGV[i])
  local at = known and tonumber(string.match(known, '^%d+'))
  if not at or at < tonumber(ARGV[i + 1]) then
    if ARGV[i + 2] == '' then
      redis.call('HDEL', KEYS[2], ARGV[i])
    else
      redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1] .. '\n' .. ARGV[i + 2])
    end
  end
end
return 1
