-- Append texts to the banded index, for who knows that they are not in it, and what each bucket gets. Nothing is appended
-- where it does not hold as many texts as the caller has seen. Answers how many it held.
-- KEYS: N tables of names, then the buckets that get something, all of one shard
-- ARGV: N; bytes of a name; how many texts the caller has seen; the number of the table that the names go into, from 1;
-- the names, packed; then for each bucket the entries that it gets
local tables, name_size = tonumber(ARGV[1]), tonumber(ARGV[2])
local call, count = redis.call, 0
for place = 1, tables do
  local there = call('STRLEN', KEYS[place]) / name_size
  if there == 0 then break end
  count = count + there
end
if count ~= tonumber(ARGV[3]) then return count end
call('APPEND', KEYS[tonumber(ARGV[4])], ARGV[5])
for i = tables + 1, #KEYS do call('APPEND', KEYS[i], ARGV[5 + i - tables]) end
return count
