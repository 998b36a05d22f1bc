-- The claims that most calls make, before anything is prepared for the others: of one queue that
-- has only plain jobs, where no lease is lost and the caller's clock counts. What this cannot
-- answer, reserve.lua does; nothing was changed then. Its ARGV stand there.
if LEAN_CLAIM and ARGV[10] == '' and not ARGV[11] and tonumber(ARGV[7]) <= 100 then
  local call, root, queue, expires, worker = redis.call, KEYS[1], ARGV[3], ARGV[5], ARGV[6]
  local leases = root .. ':leases:' .. queue
  if call('HGET', root, ARGV[1] .. ':' .. queue) == '' and
    call('ZCOUNT', leases, '-inf', tonumber(ARGV[2]) - EDGE) == 0 then
    local line = root .. ':line:' .. MIDDLE .. ':' .. queue
    local due = call('ZRANGEBYSCORE', line, '-inf', ARGV[2], 'LIMIT', 0, ARGV[7])
    if #due == 0 then return {1, 0} end
    call('ZREM', line, unpack(due))
    local answer = {1, 0}
    for i = 1, #due do
      local id = string.sub(due[i], 17)
      local key = root .. ':job:' .. id
      local row = call('HMGET', key, 'fixed', 'payload', 'state')
      local version, rest = '1'
      if row[3] then  -- It was claimed before, or came back from the dead.
        rest = call('HMGET', key, 'lease', 'attempts', 'run_at', 'error')
        if rest[1] then
          version = tostring(string.match(rest[1], '^%S+ %S+ %S+ %S+ (%d+)') + 1)
        end
      end
      local lease = ARGV[1] .. ' lease-' .. string.sub(due[i], 1, 16) .. '-' .. version .. '-' ..
        ARGV[8] .. ' ' .. expires .. ' ' .. version .. ' ' .. version .. ' ' .. worker .. queue
      call('HSET', key, 'state', 'leased', 'lease', lease)
      call('ZADD', leases, expires, id)
      if rest then
        answer[i + 2] = {id, row[1], row[2], lease, rest[2], rest[3], rest[4]}
      else
        answer[i + 2] = {id, row[1], row[2], lease}
      end
    end
    return answer
  end
end
