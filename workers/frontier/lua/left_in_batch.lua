-- Append to a reply what is left in a batch: per host a list of its name and its packed URLs. What has its outcome
-- already is taken out of the batch. All keys are handed in.
local function left_in_batch(reply, batch_urls, open, batch_hosts)
  local names = {}
  local numbered = redis.call('ZRANGE', batch_hosts, 0, -1, 'WITHSCORES')
  for i = 1, #numbered, 2 do names[tonumber(numbered[i + 1])] = numbered[i] end
  local places = redis.call('ZRANGE', batch_urls, 0, -1, 'WITHSCORES')
  local digests, gone = {}, {}
  for i = 1, #places, 2 do digests[#digests + 1] = places[i] end
  local host, group
  for first = 1, #digests, 1000 do  -- Lua's stack holds some thousand values
    local last = math.min(first + 999, #digests)
    local found = redis.call('HMGET', open, unpack(digests, first, last))
    for i = first, last do
      local packed, number = found[i - first + 1], math.floor(tonumber(places[2 * i]) / 4096)
      if not packed then
        gone[#gone + 1] = digests[i]
      else
        if number ~= host then
          host, group = number, {names[number]}
          reply[#reply + 1] = group
        end
        group[#group + 1] = packed
      end
    end
  end
  for _, digest in ipairs(gone) do redis.call('ZREM', batch_urls, digest) end
  return reply
end
