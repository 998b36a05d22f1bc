-- A job is a hash:
--   fixed     what never changes: its number in sixteen digits, its creation, and then, with a
--             space behind each: the counter it came with, rank, limit, given run time, the sizes
--             of queue and key; then queue, key and info. What is absent is a hyphen; so is the
--             middle rank.
--   payload
--   state     absent: waiting, as it came
--   lease     generation, token, expiry, fence, version, the size of the worker's name, each with a
--             space behind it; then worker and queue. It stays when the lease is over.
--   run_at, attempts  absent: as the job came
--   losses, retrying, settle, answer, error, reason, buried
-- Scripts that decide read it into an array.
local STATE, QUEUE, SEQ, RANK, CREATED, RUN_AT, ATTEMPTS, LIMIT, LOSSES = 1, 2, 3, 4, 5, 6, 7, 8, 9
local RETRYING, TOKEN, FENCE, VERSION, EXPIRES, SETTLE, KEY, ANSWER = 10, 11, 12, 13, 14, 15, 16, 17
local WORKER = 18

local function key_of(id) return root .. ':job:' .. id end

local function stated(text) return text ~= '-' and text or nil end

-- What decisions need; there is no state where there is no such job.
local function core(id)
  local raw = redis.call('HMGET', key_of(id), 'fixed', 'state', 'lease', 'run_at', 'attempts',
    'losses', 'retrying', 'settle', 'answer')
  local fixed, lease, job = raw[1], raw[3], {}
  if not fixed then return job end
  local created, attempts, rank, limit, given, queue, key, at =
    string.match(fixed, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%d+) (%S+) ()', 17)
  job[STATE], job[SEQ], job[CREATED] = raw[2] or 'waiting', string.sub(fixed, 1, 16), created
  job[RANK], job[LIMIT] = stated(rank) or MIDDLE, stated(limit)
  job[QUEUE] = string.sub(fixed, at, at + queue - 1)
  if key ~= '-' then job[KEY] = string.sub(fixed, at + queue, at + queue + key - 1) end
  job[RUN_AT] = raw[4] or stated(given) or created
  job[ATTEMPTS], job[LOSSES], job[RETRYING] = raw[5] or attempts, raw[6], raw[7]
  -- Only an ack makes a job done.
  job[SETTLE], job[ANSWER] = job[STATE] == 'done' and 'ack' or raw[8], raw[9]
  if lease then
    local token, expires, fence, version, size, from =
      string.match(lease, '^%S+ (%S+) (%S+) (%S+) (%S+) (%d+) ()')
    job[TOKEN], job[EXPIRES], job[FENCE], job[VERSION] = token, expires, fence, version
    job[WORKER] = string.sub(lease, from, from + size - 1)
  end
  return job
end

local function lease_text(job)
  return table.concat({ARGV[1], job[TOKEN], job[EXPIRES], job[FENCE], job[VERSION], #job[WORKER],
    job[WORKER] .. job[QUEUE]}, ' ')
end

-- A row of an answer, as rows.cpp reads it. Of a claim it ends before the state.
local function row_of(id, state)
  local raw = redis.call('HMGET', key_of(id), 'fixed', 'payload', 'lease', 'attempts', 'run_at',
    'error', 'reason', 'buried')
  return {id, raw[1], raw[2], raw[3], raw[4], raw[5], raw[6], state, raw[7], raw[8]}
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
