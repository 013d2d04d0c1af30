-- Follow a 'file:rest' entry to its file. Returns {} or {object key, rest}.
-- KEYS: epoch, entries, file names   ARGV: epoch, id
local entry = redis.call('HGET', KEYS[2], ARGV[2])
if not entry then return {} end
local number, rest = string.match(entry, '^(%x+):(.*)$')
return {redis.call('HGET', KEYS[3], number) or '', rest}
