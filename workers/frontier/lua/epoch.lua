-- Before anything else: is this the Redis that the caller knows? Missing or other is an error, never "no work".
local epoch_found = redis.call('GET', KEYS[1])
if epoch_found ~= ARGV[1] then
  return redis.error_reply('EPOCH caller has ' .. ARGV[1] .. ', Redis has ' .. (epoch_found or 'none'))
end
