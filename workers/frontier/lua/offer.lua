-- What a job would make of links, before anything is written down or queued. Room in the budgets is kept for new ones at
-- once, so that many workers together do not go over them; offered again, they are new again until they are queued.
-- Returns for each link: new, nearer (known by a longer way), known, or the budget that is spent.
-- KEYS: epoch, open, done, found (digest to depth), then sets of digests per host and per form of a query
-- ARGV: epoch, budgets of the job, of a host, of a form, then per link: digest, depth, place of its host's set and of its
--       form's (0: none) among the keys
local job_budget, host_budget, form_budget = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local reply = {}
for i = 5, #ARGV, 4 do
  local digest, depth = ARGV[i], tonumber(ARGV[i + 1])
  local host, form = tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local found = redis.call('HGET', KEYS[4], digest)
  local word = 'new'
  if redis.call('HEXISTS', KEYS[2], digest) == 1 or redis.call('HEXISTS', KEYS[3], digest) == 1 then
    word = found and tonumber(found) > depth and 'nearer' or 'known'  -- what was not found by a link is a seed
  elseif not found then
    if redis.call('HLEN', KEYS[4]) >= job_budget then
      word = 'job_budget'
    elseif redis.call('SCARD', KEYS[host]) >= host_budget then
      word = 'host_budget'
    elseif form > 0 and redis.call('SCARD', KEYS[form]) >= form_budget then
      word = 'query_budget'
    else
      redis.call('HSET', KEYS[4], digest, depth)
      redis.call('SADD', KEYS[host], digest)
      if form > 0 then redis.call('SADD', KEYS[form], digest) end
    end
  end
  reply[#reply + 1] = word
end
return reply
