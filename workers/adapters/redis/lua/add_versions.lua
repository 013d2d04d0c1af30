-- Remember versions of URLs; of one URL the newest capture counts, in whatever order they come: one that can be asked
-- about no longer leaves the time of its capture, so that an older one does not come back.
-- KEYS: epoch, versions   ARGV: epoch, then per URL: field, microseconds of its capture, packed or '' to forget it
-- Many a call: each call costs more than what it does.
for first = 2, #ARGV, 1500 do
  local fields = {}
  for i = first, math.min(first + 1497, #ARGV - 2), 3 do fields[#fields + 1] = ARGV[i] end
  local known, newest, times = redis.call('HMGET', KEYS[2], unpack(fields)), {}, {}
  for place, field in ipairs(fields) do
    local i = first + 3 * (place - 1)
    local at = times[field] or known[place] and tonumber(string.match(known[place], '^%d+'))
    if not at or at < tonumber(ARGV[i + 1]) then
      times[field], newest[field] = tonumber(ARGV[i + 1]), ARGV[i + 1] .. '\n' .. ARGV[i + 2]
    end
  end
  local written = {}
  for field, value in pairs(newest) do
    written[#written + 1] = field
    written[#written + 1] = value
  end
  if #written > 0 then redis.call('HSET', KEYS[2], unpack(written)) end
end
return 1
