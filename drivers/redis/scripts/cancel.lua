local job = core(subject)
if not job[STATE] then return {0, 'not_found'} end
if job[STATE] == 'waiting' then
  leave_line(subject, job, job[RUN_AT])
elseif job[STATE] == 'leased' then
  let_go(subject, job)
  redis.call('HSET', key_of(subject), 'settle', '')
else
  return {0, 'ended', job[STATE]}
end
redis.call('HSET', key_of(subject), 'state', 'cancelled')
release_key(subject, job)
return {1}
