-- ARGV: 6 the new counter, 7 reason, 8 error.
local job, answer = admit('fail')
if not job then return answer end
let_go(subject, job)
redis.call('HSET', key_of(subject), 'settle', 'fail')
bury(subject, job, ARGV[7], ARGV[8], ARGV[6])
return {1}
