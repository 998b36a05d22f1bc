if head[3] then
  redis.call('HSET', root, 'queue:' .. subject, (string.gsub(head[3], 'p', '')))
end
return {1}
