-- A lost lease counts against the budget: as an attempt where attempts are numbered, in a count of
-- its own elsewhere, which the engine's counter knows nothing of.
local function expire(id, job)
  local numbered = COUNTS and COUNTER == 'attempt_no'
  local losses = tonumber(job[LOSSES] or 0)
  if not numbered then losses = losses + 1 end
  local used = numbered and tonumber(job[ATTEMPTS]) or losses
  let_go(id, job)
  if COUNTS and used >= runs_allowed(job[LIMIT]) then
    bury(id, job, 'lease expired', 'lease expired', job[ATTEMPTS])
    redis.call('HSET', key_of(id), 'losses', losses, 'settle', '')
    return 'dead'
  end
  local run_at = job[EXPIRES]
  if WAITS then run_at = later(now, backoff(used)) end
  if numbered then
    redis.call('HSET', key_of(id), 'attempts', plus_one(job[ATTEMPTS]), 'error', 'lease expired')
  end
  redis.call('HSET', key_of(id), 'state', 'waiting', 'run_at', run_at, 'losses', losses,
    'retrying', WAITS and '1' or '', 'settle', '')
  stand_in_line(id, job, run_at)
  return 'waiting'
end
