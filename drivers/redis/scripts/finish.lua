-- The ack that most calls make: of a lease that is held and shows its token. What this cannot
-- answer, ack.lua does; nothing was changed then.
if LEAN_ACK then
  local call, key = redis.call, KEYS[1] .. ':job:' .. ARGV[3]
  local job = call('HMGET', key, 'state', 'lease')
  if job[1] == 'leased' then
    local generation, token, expires, size, at =
      string.match(job[2], '^(%S+) (%S+) (%S+) %S+ %S+ (%d+) ()')
    if generation == ARGV[1] and token == ARGV[4] and
      tonumber(expires) > tonumber(ARGV[2]) - EDGE then
      call('ZREM', KEYS[1] .. ':leases:' .. string.sub(job[2], at + size), ARGV[3])
      call('HSET', key, 'state', 'done')
      return 1
    end
  end
end
