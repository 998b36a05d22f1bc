-- A job is a hash. It is read into an array, in the order in which rows.cpp reads it too.
local STATE, QUEUE, SEQ, RANK, CREATED, RUN_AT, ATTEMPTS, LIMIT, LOSSES = 1, 2, 3, 4, 5, 6, 7, 8, 9
local RETRYING, TOKEN, FENCE, VERSION, EXPIRES, SETTLE, KEY, ANSWER = 10, 11, 12, 13, 14, 15, 16, 17
local INFO, GIVEN, PAYLOAD, ERROR, WORKER, REASON, BURIED, ID = 18, 19, 20, 21, 22, 23, 24, 25

local function key_of(id) return root .. ':job:' .. id end

-- What decisions need; the state is false where there is no such job.
local function core(id)
  return redis.call('HMGET', key_of(id), 'state', 'queue', 'seq', 'rank', 'created', 'run_at',
    'attempts', 'limit', 'losses', 'retrying', 'token', 'fence', 'version', 'expires', 'settle',
    'key', 'answer')
end

-- All of it, for an answer.
local function whole(id)
  local job = redis.call('HMGET', key_of(id), 'state', 'queue', 'seq', 'rank', 'created', 'run_at',
    'attempts', 'limit', 'losses', 'retrying', 'token', 'fence', 'version', 'expires', 'settle',
    'key', 'answer', 'info', 'given', 'payload', 'error', 'worker', 'reason', 'buried')
  job[ID] = id
  return job
end

-- Waiting jobs are told apart by time alone.
local function shown(job)
  if job[STATE] ~= 'waiting' then return job[STATE] end
  local hidden = HIDDEN and job[RETRYING] == '1'
  if tonumber(job[RUN_AT]) > now and not hidden then return 'scheduled' end
  return 'ready'
end

-- Numbers that no double can hold stay what they are.
local function plus_one(number)
  local n = tonumber(number)
  if n >= 9007199254740991 then return number end
  return string.format('%.0f', n + 1)
end

-- An expiry beyond what doubles hold exactly is the last instant there is.
local function later(from, by)
  local sum = from + by
  if sum > 9007199254740991 then return '9223372036854775807' end
  return string.format('%.0f', sum)
end
