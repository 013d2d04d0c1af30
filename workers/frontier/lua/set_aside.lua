-- Set a batch aside of which an object is damaged or gone: no worker has it until the scheduler could read everything
-- and has ended it, so its hosts are free for others. It comes back after a pause, twice as long each time.
-- Returns 1, or 0 where the lease was lost.
-- KEYS: epoch, batch, leases, batch hosts, busy
-- ARGV: epoch, now, batch id, counter, what is wrong, first pause ms, longest pause ms
local held = redis.call('HMGET', KEYS[2], 'state', 'counter')
if held[1] ~= 'leased' or held[2] ~= ARGV[4] then return 0 end
local times = redis.call('HINCRBY', KEYS[2], 'aside', 1)
redis.call('HSET', KEYS[2], 'state', 'released', 'fault', ARGV[5], 'claims', 0)
redis.call('HDEL', KEYS[2], 'counter', 'worker', 'asked')
local pause = math.min(tonumber(ARGV[6]) * 2 ^ math.min(times - 1, 16), tonumber(ARGV[7]))
redis.call('ZADD', KEYS[3], string.format('%.0f', tonumber(ARGV[2]) + pause), ARGV[3])
local hosts = redis.call('ZRANGE', KEYS[4], 0, -1)
for first = 1, #hosts, 500 do  -- Lua's stack holds some thousand values
  local last = math.min(first + 499, #hosts)
  local freed = {}
  for i, holder in ipairs(redis.call('HMGET', KEYS[5], unpack(hosts, first, last))) do
    if holder == ARGV[3] then freed[#freed + 1] = hosts[first + i - 1] end
  end
  if #freed > 0 then redis.call('HDEL', KEYS[5], unpack(freed)) end
end
return 1
