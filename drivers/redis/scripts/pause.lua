if not head[3] then redis.call('SADD', root .. ':queues', subject) end
mark(subject, 'p')
return {1}
