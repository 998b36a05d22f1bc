-- ARGV: 6 run time, 7 the new counter, 8 error.
local job, answer = admit('retry')
if not job then return answer end
let_go(subject, job)
redis.call('HSET', key_of(subject), 'state', 'waiting', 'settle', 'retry', 'run_at', ARGV[6],
  'attempts', ARGV[7], 'error', ARGV[8], 'retrying', '1')
stand_in_line(subject, job, ARGV[6])
return {1}
