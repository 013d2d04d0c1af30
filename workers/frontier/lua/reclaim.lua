-- Take an expired batch back from whoever had it, so that it can be sent again under its own id.
-- Returns {} where it has not expired, else {'again', claims without anything new, state of the job or 'aside',
-- {host, packed URLs...}...}.
-- KEYS: epoch, batch, batch urls, open, leases, waiting, batch hosts, job
-- ARGV: epoch, now, batch id, end of the wait for a worker
local ends = redis.call('ZSCORE', KEYS[5], ARGV[3])
if not ends or tonumber(ends) > tonumber(ARGV[2]) then return {} end
redis.call('HSET', KEYS[2], 'state', 'released')
redis.call('HDEL', KEYS[2], 'counter', 'worker', 'asked')
redis.call('ZADD', KEYS[5], ARGV[4], ARGV[3])
redis.call('SADD', KEYS[6], ARGV[3])
local claims = redis.call('HGET', KEYS[2], 'claims') or '0'
local job_state = redis.call('HGET', KEYS[8], 'state') or 'running'
if redis.call('HEXISTS', KEYS[2], 'aside') == 1 then job_state = 'aside' end
return left_in_batch({'again', claims, job_state}, KEYS[3], KEYS[4], KEYS[7])
