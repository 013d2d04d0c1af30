-- Keep a host back, over all workers. Strikes are how often in a row it has said that it is busy; 0 forgets them.
-- KEYS: epoch, pace, strikes of the host   ARGV: epoch, now, host, ready at, strikes, how long they are remembered (ms)
if tonumber(ARGV[4]) > tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[2], 'GT', ARGV[4], ARGV[3])
end
if tonumber(ARGV[5]) > 0 then
  redis.call('SET', KEYS[3], ARGV[5], 'PX', ARGV[6])
else
  redis.call('DEL', KEYS[3])
end
return 1
