-- Put texts into the banded index, and tell for each which texts were there and agree with it in a band.
-- KEYS: N tables of names, then the buckets that the texts fall into, all of one shard
-- ARGV: N; texts a table holds; bytes of a name; the texts' names, packed; for each level, text and band two bytes that
-- say which bucket (from 1, after those of the levels before) and two bytes of tag, packed; bands; levels; for each
-- level how many buckets stand before its own, and with how many texts in the index it is full
-- A name is a text's digest (32 bytes) and its sketch. A text's number is its place in the tables, three bytes. A
-- bucket holds five bytes an entry: tag and number.
-- Answers, for each text, the names of its candidates, packed; then how many texts there are now. -1: no room. -2: there
-- are more levels.
local tables, per_table, name_size = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local names, entries, bands = ARGV[4], ARGV[5], tonumber(ARGV[6])
local sub, byte, char, find, call, concat = string.sub, string.byte, string.char, string.find, redis.call, table.concat
local texts = #names / name_size

local count, last = 0, 0
for place = 1, tables do
  local there = call('STRLEN', KEYS[place]) / name_size
  if there == 0 then break end
  count = count + there
end
if count + texts > tables * per_table then return -1 end

local levels, bases, writing = tonumber(ARGV[7]), {}, 0
for level = 1, levels do
  bases[level] = tonumber(ARGV[6 + 2 * level])
  if writing == 0 and count < tonumber(ARGV[7 + 2 * level]) then writing = level end
end
if writing == 0 then return -2 end

local buckets, added, step = {}, {}, 1000
for first = tables + 1, #KEYS, step do
  local found = call('MGET', unpack(KEYS, first, math.min(first + step - 1, #KEYS)))
  for at = 1, #found do buckets[first - tables + at - 1] = found[at] or '' end
end

local known, fresh = {}, {}
local function name_of(number)
  local name = known[number]
  if not name then
    local start = number % per_table * name_size
    name = call('GETRANGE', KEYS[1 + math.floor(number / per_table)], start, start + name_size - 1)
    known[number] = name
  end
  return name
end

local function scan(bucket, tag, seen, near)
  local from = 1
  while true do
    local place = find(bucket, tag, from, true)
    if not place then return end
    if place % 5 == 1 then
      local a, b, c = byte(bucket, place + 2, place + 4)
      local number = a * 65536 + b * 256 + c
      if not seen[number] then
        seen[number] = true
        near[#near + 1] = number
      end
      from = place + 5
    else
      from = place + 1
    end
  end
end

local answers, places, tags = {}, {}, {}
for text = 1, texts do
  local seen, near = {}, {}
  for level = 1, levels do
    local at = ((level - 1) * texts + text - 1) * bands * 4 + 1
    for band = 1, bands do
      local high, low = byte(entries, at, at + 1)
      local tag, index = sub(entries, at + 2, at + 3), bases[level] + high * 256 + low
      if level == writing then places[band], tags[band] = index, tag end
      scan(buckets[index], tag, seen, near)
      local new = added[index]
      if new then scan(new, tag, seen, near) end
      at = at + 4
    end
  end
  local own = sub(names, (text - 1) * name_size + 1, text * name_size)
  local digest = sub(own, 1, 32)
  local there, told = false, {}
  for i = 1, #near do
    local name = name_of(near[i])
    if sub(name, 1, 32) == digest then there = true else told[#told + 1] = name end
  end
  if not there then
    local number = count
    count = count + 1
    known[number] = own
    fresh[#fresh + 1] = own
    local member = char(math.floor(number / 65536), math.floor(number / 256) % 256, number % 256)
    for band = 1, bands do
      local index = places[band]
      local new = added[index]
      added[index] = new and new .. tags[band] .. member or tags[band] .. member
    end
  end
  answers[text] = concat(told)
end

for index, entry in pairs(added) do call('APPEND', KEYS[tables + index], entry) end
local first = count - #fresh
while #fresh > 0 and first < count do
  local place = math.floor(first / per_table)
  local upto = math.min(count, (place + 1) * per_table)
  call('APPEND', KEYS[1 + place], concat(fresh, '', first - (count - #fresh) + 1, upto - (count - #fresh)))
  first = upto
end
answers[texts + 1] = count
return answers
