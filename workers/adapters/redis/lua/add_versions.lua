-- Remember versions of URLs; of one URL the newest capture counts, in whatever order they come: one that can be asked
-- about no longer leaves the time of its capture, so that an older one does not come back.
-- KEYS: epoch, versions   ARGV: epoch, then per URL: field, microseconds of its capture, packed or '' to forget it
for i = 2, #ARGV, 3 do
  local known = redis.call('HGET', KEYS[2], ARGV[i])
  local at = known and tonumber(string.match(known, '^%d+'))
  if not at or at < tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1] .. '\n' .. ARGV[i + 2])
  end
end
return 1
