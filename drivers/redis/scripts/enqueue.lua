-- ARGV: 4 id, empty: to be made, 5 secret of a made id, 6 given run time, 7 rank, 8 attempts,
-- 9 limit, 10 key within its scope, 11 info, 12 payload. What is absent is empty.
local queue, id, given, key = subject, ARGV[4], ARGV[6], ARGV[10]
local run_at = given == '' and now or tonumber(given)
if run_at > now and not SCHEDULES then return {0, 'unschedulable'} end
if key ~= '' and IDEM ~= 'none' then
  local holder = redis.call('HGET', root .. ':keys', key)
  if holder and IDEM == 'existing' then return {1, holder, 1} end
  if holder then return {0, 'key_held', holder} end
end
if id ~= '' and redis.call('EXISTS', key_of(id)) == 1 then
  local old = redis.call('HMGET', key_of(id), 'queue', 'given', 'limit', 'info', 'payload')
  local same = old[1] == queue and (old[2] or '') == given and (old[3] or '') == ARGV[9] and
    old[4] == ARGV[11] and old[5] == ARGV[12]
  if same then return {1, id, 1} end
  return {0, 'duplicate_id'}
end

local number = redis.call('HINCRBY', root, 'number', 1)
while id == '' do
  id = string.format('job-%.0f-%s', number, ARGV[5])
  -- Somebody may have chosen just this one.
  if redis.call('EXISTS', key_of(id)) == 1 then
    id, number = '', redis.call('HINCRBY', root, 'number', 1)
  end
end

local job = {}
job[QUEUE], job[SEQ], job[RANK] = queue, string.format('%016.0f', number), ARGV[7]
job[CREATED] = string.format('%.0f', now)
job[RUN_AT] = given == '' and job[CREATED] or given
redis.call('HSET', key_of(id), 'state', 'waiting', 'queue', queue, 'seq', job[SEQ],
  'rank', job[RANK], 'created', job[CREATED], 'run_at', job[RUN_AT], 'attempts', ARGV[8],
  'info', ARGV[11], 'payload', ARGV[12])
if given ~= '' then redis.call('HSET', key_of(id), 'given', given) end
if ARGV[9] ~= '' then redis.call('HSET', key_of(id), 'limit', ARGV[9]) end
if key ~= '' then
  redis.call('HSET', key_of(id), 'key', key)
  if IDEM ~= 'none' then redis.call('HSET', root .. ':keys', key, id) end
end
if not head[3] then
  redis.call('SADD', root .. ':queues', queue)
  redis.call('HSET', root, 'queue:' .. queue, '')
end
redis.call('ZADD', root .. ':ages:' .. queue, job[CREATED], id)
stand_in_line(id, job, job[RUN_AT])
return {1, id, 0}
