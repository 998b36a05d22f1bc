-- Stands alone: what most calls need comes first, and nothing is prepared that they do not need.
-- ARGV: 1 generation, 2 the caller's clock, 3 queue, 4 id, 5 secret of a made id, 6 given run time,
-- 7 rank, 8 key within its scope, 9 fixed text behind the creation (job.lua), 10 payload. What is
-- absent is empty.
-- Answers the id of a new job, {1, id} of one that existed, or {0, why not, ...}.
local call, root, queue, id, given = redis.call, KEYS[1], ARGV[3], ARGV[4], ARGV[6]
local rank, key, created = ARGV[7], ARGV[8], ARGV[2]
local place, early = created, false
if id ~= '' or key ~= '' or given ~= '' or not BY_CALLER then
  local head = call('HMGET', root, 'generation', 'clock')
  if head[1] ~= ARGV[1] then return {0, 'gone'} end
  if VIRTUAL and not BY_CALLER then
    created = head[2]
  elseif not BY_CALLER then
    local time = call('TIME')
    created = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
  end
  -- Whoever could run earlier goes first, but nobody before his own creation.
  place = created
  if given ~= '' then
    local from, now = tonumber(given), tonumber(created)
    if from > now then
      if not SCHEDULES then return {0, 'unschedulable'} end
      place = given
    end
    early = from < now and BY_CALLER
  end
  if key ~= '' and IDEM ~= 'none' then
    local holder = call('HGET', root .. ':keys', key)
    if holder and IDEM == 'existing' then return {1, holder} end
    if holder then return {0, 'key_held', holder} end
  end
  if id ~= '' and call('EXISTS', root .. ':job:' .. id) == 1 then
    local old = call('HMGET', root .. ':job:' .. id, 'fixed', 'payload')
    -- The counter may differ.
    local is = string.match(old[1], '^%S+ %S+ (.*)$')
    if is == string.match(ARGV[9], '^%S+ (.*)$') and old[2] == ARGV[10] then return {1, id} end
    return {0, 'duplicate_id'}
  end
end

-- It counts from 1: where it is not there, the namespace is gone. Numbers stay fewer than Lua shows
-- as a power: string.format would cost half a call.
local counter = root .. ':number:' .. ARGV[1]
local number = call('INCR', counter) - 1
if number == 0 then
  call('DEL', counter)
  return {0, 'gone'}
end
if id == '' then
  id = 'job-' .. number .. '-' .. ARGV[5]
elseif string.sub(id, 1, 4) == 'job-' then
  -- Just this one might be made later: its number is skipped.
  local skipped = tonumber(string.match(id, '^job%-(%d+)%-')) or 0
  if skipped > number and skipped < 9e13 then call('SET', counter, skipped + 1) end
end
local seq = string.sub('000000000000000' .. number, -16)
call('HSET', root .. ':job:' .. id, 'fixed', seq .. created .. ' ' .. ARGV[9], 'payload', ARGV[10])
call('ZADD', root .. ':line:' .. rank .. ':' .. queue, place, seq .. id)
local arrivals = call('RPUSH', root .. ':arrivals:' .. queue, created .. ' ' .. id)
if key ~= '' and IDEM ~= 'none' then call('HSET', root .. ':keys', key, id) end
if number > HEARD and place == created then  -- as line.lua does it
  redis.pcall('PUBLISH', root .. ':wake:' .. ARGV[1] .. ':' .. queue, id)
end
if arrivals > 1 and rank == MIDDLE and not early then return id end

-- As line.lua does it. Whoever arrives first may have made the queue.
local field = ARGV[1] .. ':' .. queue
local flags = call('HGET', root, field)
local marks = flags or ''
if not flags then call('SADD', root .. ':queues', queue) end
if rank ~= MIDDLE then
  call('ZADD', root .. ':ranks:' .. queue, 0, rank, 0, MIDDLE)
  if not string.find(marks, 'r', 1, true) then marks = marks .. 'r' end
end
if early then
  call('ZADD', root .. ':early:' .. queue, place, seq .. id)
  if not string.find(marks, 'e', 1, true) then marks = marks .. 'e' end
end
if marks ~= flags then call('HSET', root, field, marks) end
return id
