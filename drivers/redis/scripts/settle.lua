-- Who may speak for a lease. ARGV: 4 the token, 5 the attempt.
-- The job, or nothing and the answer: a refusal, or a success where the settle is a repetition.
local function admit(kind)
  local id, token, attempt = subject, ARGV[4], ARGV[5]
  local job = core(id)
  if not job[STATE] then return nil, {0, 'not_found'} end
  local fits = job[TOKEN] == token and (not BY_ATTEMPT or job[FENCE] == attempt)
  if job[STATE] == 'leased' then
    if tonumber(job[EXPIRES]) <= dead_by and (kind == 'extend' or not LATE) then
      return nil, {0, 'expired'}
    end
    if not fits and not UNFENCED then return nil, {0, 'mismatch'} end
    return job
  end
  local same = fits and job[SETTLE] == kind
  if same and RESETTLE then return nil, {1, job[ANSWER]} end
  if not same and kind == 'ack' and job[STATE] == 'done' and RESETTLE_FOREIGN then
    return nil, {1, false}
  end
  return nil, {0, 'not_held', shown(job)}
end
