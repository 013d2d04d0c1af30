-- Mark URLs done from their receipts, without a lease. Returns how many had no outcome before.
-- KEYS: epoch, open, done, tally   ARGV: epoch, then per URL: digest, code
local new = 0
for i = 2, #ARGV, 2 do
  redis.call('HDEL', KEYS[2], ARGV[i])
  if redis.call('HSETNX', KEYS[3], ARGV[i], ARGV[i + 1]) == 1 then
    redis.call('HINCRBY', KEYS[4], ARGV[i + 1], 1)
    new = new + 1
  end
end
return new
