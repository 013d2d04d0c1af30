-- Remember originals; the first of a payload stays. KEYS: epoch, originals   ARGV: epoch, then per original: digest, packed
-- Many a call: each call costs more than what it does.
for first = 2, #ARGV, 1000 do
  local last = math.min(first + 998, #ARGV - 1)
  local digests = {}
  for i = first, last, 2 do digests[#digests + 1] = ARGV[i] end
  local known, new, seen = redis.call('HMGET', KEYS[2], unpack(digests)), {}, {}
  for place, digest in ipairs(digests) do
    if not known[place] and not seen[digest] then
      seen[digest] = true
      new[#new + 1] = digest
      new[#new + 1] = ARGV[first + 2 * place - 1]
    end
  end
  if #new > 0 then redis.call('HSET', KEYS[2], unpack(new)) end
end
return 1
