-- Mark URLs done, set others aside for their next try, give back hosts that have nothing left, and end the batch where
-- this is the last part. Returns 1, or 0 where the lease was lost; then nothing was changed.
-- KEYS: epoch, batch, batch urls, batch hosts, open, done, tally, hosts, lane, busy, pace, leases, waiting, later,
--       jobs with later, then one queue per host of the batch
-- ARGV: epoch, now, batch id, job id, counter, last (1 or 0), how long an ended batch is remembered (s),
--       number of done, of later, of batch hosts, of other hosts, then per done: digest, code;
--       per later: digest, packed URL, not before; per batch host: name, ready at or ''; per other: name, ready at
local now = tonumber(ARGV[2])
local batch_id, job_id = ARGV[3], ARGV[4]
local held = redis.call('HMGET', KEYS[2], 'state', 'counter')
if held[1] ~= 'leased' or held[2] ~= ARGV[5] then return 0 end
local last = ARGV[6] == '1'
local done_count, later_count = tonumber(ARGV[8]), tonumber(ARGV[9])
local host_count, other_count = tonumber(ARGV[10]), tonumber(ARGV[11])
local at = 12

for _ = 1, done_count do
  local digest, code = ARGV[at], ARGV[at + 1]
  at = at + 2
  if redis.call('HDEL', KEYS[5], digest) == 1 then
    redis.call('HSET', KEYS[6], digest, code)
    redis.call('HINCRBY', KEYS[7], code, 1)
  end
  redis.call('ZREM', KEYS[3], digest)
end

for _ = 1, later_count do
  local digest, packed, not_before = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  at = at + 3
  -- Only out of this batch: a receipt that is settled once more must not call back what has gone on.
  if redis.call('ZREM', KEYS[3], digest) == 1 and redis.call('HEXISTS', KEYS[5], digest) == 1 then
    redis.call('HSET', KEYS[5], digest, packed)
    redis.call('ZADD', KEYS[14], not_before, digest)
    redis.call('ZADD', KEYS[15], 'LT', not_before, job_id)
  end
end

local function pace(host, ready_at)
  if ready_at > now then
    redis.call('ZADD', KEYS[11], 'GT', ready_at, host)
  end
end

local function give_back(host, queue, number, left, ready_at)
  for i = #left, 1, -1 do  -- to the front, in its old order
    redis.call('LPUSH', queue, left[i])
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[3], number * 4096, number * 4096 + 4095)
  redis.call('ZREM', KEYS[4], host)
  if redis.call('HGET', KEYS[10], host) == batch_id then
    redis.call('HDEL', KEYS[10], host)
  end
  pace(host, ready_at)
  if redis.call('LLEN', queue) > 0 then
    redis.call('ZADD', KEYS[8], ready_at, host)
    redis.call('ZADD', KEYS[9], 'NX', now, job_id)
  else
    redis.call('ZREM', KEYS[8], host)
  end
end

for i = 1, host_count do
  local host, ready_at = ARGV[at], tonumber(ARGV[at + 1])
  at = at + 2
  local number = redis.call('ZSCORE', KEYS[4], host)
  if number then
    number = tonumber(number)
    local left = redis.call('ZRANGEBYSCORE', KEYS[3], number * 4096, number * 4096 + 4095)
    if last or (ready_at and #left == 0) then
      give_back(host, KEYS[15 + i], number, left, ready_at or now)
    end
  end
end
for _ = 1, other_count do
  pace(ARGV[at], tonumber(ARGV[at + 1]))
  at = at + 2
end

if last then
  redis.call('DEL', KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[2], 'state', 'done')
  redis.call('EXPIRE', KEYS[2], ARGV[7])
  redis.call('ZREM', KEYS[12], batch_id)
  redis.call('SREM', KEYS[13], batch_id)
end
if redis.call('ZCARD', KEYS[8]) == 0 then
  redis.call('ZREM', KEYS[9], job_id)
end
return 1
