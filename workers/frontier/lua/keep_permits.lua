-- Hold permits and slots longer; what has run out is not brought back. Returns how many are held.
-- KEYS: epoch, permits, holders, then the slots of one address each
-- ARGV: epoch, now, new end, how long it ends from now, number of permits, then per permit: host, holder; per address: who
local now, ends = tonumber(ARGV[2]), ARGV[3]
local held = 0
local at = 6
for _ = 1, tonumber(ARGV[5]) do
  local host, holder = ARGV[at], ARGV[at + 1]
  at = at + 2
  local until_ms = redis.call('ZSCORE', KEYS[2], host)
  if until_ms and tonumber(until_ms) > now and redis.call('HGET', KEYS[3], host) == holder then
    redis.call('ZADD', KEYS[2], ends, host)
    held = held + 1
  end
end
for i = 4, #KEYS do
  local until_ms = redis.call('ZSCORE', KEYS[i], ARGV[at])
  if until_ms and tonumber(until_ms) > now then
    redis.call('ZADD', KEYS[i], ends, ARGV[at])
    redis.call('PEXPIRE', KEYS[i], tonumber(ARGV[4]) * 2)
    held = held + 1
  end
  at = at + 1
end
return held
