-- Remember which decision about a job was put in force last.   KEYS: epoch, job   ARGV: epoch, sequence
local before = tonumber(redis.call('HGET', KEYS[2], 'controlled') or '0')
if tonumber(ARGV[2]) > before then
  redis.call('HSET', KEYS[2], 'controlled', ARGV[2])
end
return 1
