-- Let the wait of batches that no worker has taken end now, so that they are taken back. Returns how many those were.
-- KEYS: epoch, leases, then one batch each   ARGV: epoch, now, then their ids
local ended = 0
for i = 3, #KEYS do
  if redis.call('HGET', KEYS[i], 'state') == 'released' then
    ended = ended + redis.call('ZADD', KEYS[2], 'XX', 'CH', 'LT', ARGV[2], ARGV[i])
  end
end
return ended
