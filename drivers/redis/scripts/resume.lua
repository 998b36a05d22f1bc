if head[3] then
  redis.call('HSET', root, ARGV[1] .. ':' .. subject, (string.gsub(head[3], 'p', '')))
end
wake(subject, '')
return {1}
