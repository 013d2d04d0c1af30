-- Add members to a set. KEYS: epoch, set   ARGV: epoch, members
for i = 2, #ARGV do
  redis.call('SADD', KEYS[2], ARGV[i])
end
return 1
