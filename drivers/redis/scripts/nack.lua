-- ARGV: 6 error, 7 1: unrecoverable, 8 seed of the backoff.
-- Answers the state and, behind a colon, when it may run again.
local job, answer = admit('nack')
if not job then return answer end
math.randomseed(tonumber(ARGV[8]))

-- Which failure this run is, and the counter that it leaves.
local attempts = job[ATTEMPTS]
local failure = tonumber(attempts)
if COUNTER == 'failures' or COUNTER == 'retries' then failure = failure + 1 end
local unrecoverable = ARGV[7] == '1'
local dies = unrecoverable or failure >= runs_allowed(job[LIMIT])
if COUNTER == 'failures' or (COUNTER ~= 'starts' and not dies) then
  attempts = plus_one(attempts)
end

let_go(subject, job)
if dies then
  redis.call('HSET', key_of(subject), 'settle', 'nack', 'answer', 'dead:')
  bury(subject, job, unrecoverable and 'unrecoverable' or 'limit reached', ARGV[6], attempts)
  return {1, 'dead:'}
end
local run_at = later(now, backoff(failure))
job[STATE], job[RUN_AT], job[RETRYING] = 'waiting', run_at, '1'
local told = shown(job) .. ':' .. run_at
redis.call('HSET', key_of(subject), 'state', 'waiting', 'settle', 'nack', 'answer', told,
  'run_at', run_at, 'attempts', attempts, 'error', ARGV[6], 'retrying', '1')
stand_in_line(subject, job, run_at)
return {1, told}
