local found = redis.call('HMGET', root .. ':record:' .. subject, 'version', 'left', 'value')
return {1, found[1], found[2], found[3]}
