-- Where a record lies, or a place of a file, its file followed through all the files that it was joined into.
-- KEYS: epoch, entries, file names, moves, file numbers
-- ARGV: epoch, record id, or '' and then object key and offset in hex.   Returns {} or {object key, offset, length or '', hops}
local number, offset, length
if ARGV[2] ~= '' then
  local entry = redis.call('HGET', KEYS[2], ARGV[2])
  if not entry then return {} end
  number, offset, length = string.match(entry, '^(%x+):(%x+):(%x+)$')
else
  number, offset, length = redis.call('HGET', KEYS[5], ARGV[3]), ARGV[4], ''
  if not number then return {} end
end
local hops = 0
local move = redis.call('HGET', KEYS[4], number)
while move and hops < 64 do
  local file, start = string.match(move, '^(%x+):(%x+)$')
  number, offset = file, string.format('%x', tonumber(start, 16) + tonumber(offset, 16))
  hops = hops + 1
  move = redis.call('HGET', KEYS[4], number)
end
return {redis.call('HGET', KEYS[3], number) or '', offset, length, string.format('%x', hops)}
