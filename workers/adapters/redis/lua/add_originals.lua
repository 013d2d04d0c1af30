-- Remember originals; the first of a payload stays. KEYS: epoch, originals   ARGV: epoch, then per original: digest, packed
for i = 2, #ARGV, 2 do
  redis.call('HSETNX', KEYS[2], ARGV[i], ARGV[i + 1])
end
return 1
