local job, answer = admit('ack')
if not job then return answer end
let_go(subject, job)
redis.call('HSET', key_of(subject), 'state', 'done')
release_key(subject, job)
return 1
