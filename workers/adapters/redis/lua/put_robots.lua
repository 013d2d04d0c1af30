-- KEYS: epoch, then a copy of a site each   ARGV: epoch, then for each the copy and for how long (ms)
for place = 2, #KEYS do
  redis.call('SET', KEYS[place], ARGV[2 * place - 2], 'PX', ARGV[2 * place - 1])
end
return 1
