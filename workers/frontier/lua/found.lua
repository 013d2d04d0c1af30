-- Note links that are written down, each at the least depth that it was found at; seeds are never among them. Returns
-- for each link 1 where the job had queued it before, else 0.
-- KEYS: epoch, open, done, found (digest to depth), then sets of digests per host and per form of a query
-- ARGV: epoch, then per link: digest, depth, place of its host's set and of its form's (0: none) among the keys
local reply = {}
for i = 2, #ARGV, 4 do
  local digest, depth = ARGV[i], tonumber(ARGV[i + 1])
  local host, form = tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local found = redis.call('HGET', KEYS[4], digest)
  if not found or tonumber(found) > depth then redis.call('HSET', KEYS[4], digest, depth) end
  redis.call('SADD', KEYS[host], digest)
  if form > 0 then redis.call('SADD', KEYS[form], digest) end
  local queued = redis.call('HEXISTS', KEYS[2], digest) == 1 or redis.call('HEXISTS', KEYS[3], digest) == 1
  reply[#reply + 1] = queued and 1 or 0
end
return reply
