-- Put members into buckets and tell what was in them before. A bucket is one field of a small hash; its members
-- stand packed one after the other, all of one size.
-- KEYS: the hash of each entry, all of one shard
-- ARGV: bytes of a field, bytes of a member, the entries' fields and members packed in the order of KEYS
-- Answers a flat list: number of an entry (from 0), then its bucket as it was; entries of new buckets are left out.
local field_size, size, packed = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local sub, call = string.sub, redis.call
local told = {}
for i, key in ipairs(KEYS) do
  local at = (i - 1) * (field_size + size)
  local field = sub(packed, at + 1, at + field_size)
  local member = sub(packed, at + field_size + 1, at + field_size + size)
  if call('HSETNX', key, field, member) == 0 then
    local bucket = call('HGET', key, field)
    told[#told + 1] = i - 1
    told[#told + 1] = bucket
    local there = false
    for place = 1, #bucket, size do
      if sub(bucket, place, place + size - 1) == member then there = true break end
    end
    if not there then call('HSET', key, field, bucket .. member) end
  end
end
return told
