-- ARGV: 4 run time (empty: now), 5 1: counters begin again, 6 secret of a made id.
local id, job = subject, core(subject)
if not job[STATE] then return {0, 'not_found'} end
local graves = root .. ':dead:' .. job[QUEUE]
local listed = job[STATE] == 'dead' and redis.call('ZSCORE', graves, id)
if FRESH and job[STATE] == 'dead' and not listed then return {0, 'replayed'} end
local ended = job[STATE] ~= 'waiting' and job[STATE] ~= 'leased'
if ended and IDEM == 'active' and job[KEY] then
  local holder = redis.call('HGET', root .. ':keys', job[KEY])
  if holder then return {0, 'key_taken', holder} end
end
if job[STATE] ~= 'dead' then return {0, 'not_dead', shown(job)} end

local given = ARGV[4]
local created = string.format('%.0f', now)
local run_at = given == '' and created or given
redis.call('ZREM', graves, id)
redis.call('HSET', key_of(id), 'settle', '')
if not FRESH then
  redis.call('HSET', key_of(id), 'state', 'waiting', 'run_at', run_at, 'retrying', '')
  if ARGV[5] == '1' then
    redis.call('HSET', key_of(id), 'attempts', FIRST_ATTEMPTS, 'losses', 0)
  end
  if IDEM == 'active' and job[KEY] then redis.call('HSET', root .. ':keys', job[KEY], id) end
  stand_in_line(id, job, run_at)
  return {1, id}
end

local number = redis.call('INCR', root .. ':number:' .. ARGV[1]) - 1
local fresh = 'job-' .. number .. '-' .. ARGV[6]
local old = redis.call('HMGET', key_of(id), 'fixed', 'payload')
local before, behind = string.match(old[1], '^%S+ %S+ (%S+ %S+) %S+ (.*)$')
job[SEQ], job[CREATED] = string.sub('000000000000000' .. number, -16), created
local fixed = table.concat({job[SEQ] .. created, FIRST_ATTEMPTS, before,
  given == '' and '-' or given, behind}, ' ')
redis.call('HSET', key_of(fresh), 'fixed', fixed, 'payload', old[2])
if job[KEY] and IDEM ~= 'none' then redis.call('HSET', root .. ':keys', job[KEY], fresh) end
redis.call('ZADD', root .. ':ages:' .. job[QUEUE], created, fresh)
stand_in_line(fresh, job, run_at)
return {1, fresh}
