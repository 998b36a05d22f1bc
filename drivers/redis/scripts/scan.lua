-- ARGV: 4 where to begin, as ZRANGEBYLEX has it, 5 prefix, 6 how many at most, 7 about how many
-- bytes. Answers {1, more, key, version, left, value...}: more is 1 where there are more.
local most, left_over = tonumber(ARGV[6]), tonumber(ARGV[7])
local keys = redis.call('ZRANGEBYLEX', root .. ':records', ARGV[4], '+', 'LIMIT', 0, most + 1)
local answer = {1, 0}
for i, key in ipairs(keys) do
  if string.sub(key, 1, #ARGV[5]) ~= ARGV[5] then break end
  if i > most or left_over <= 0 then
    answer[2] = 1
    break
  end
  local found = redis.call('HMGET', root .. ':record:' .. key, 'version', 'left', 'value')
  answer[#answer + 1] = key
  answer[#answer + 1] = found[1]
  answer[#answer + 1] = found[2]
  answer[#answer + 1] = found[3]
  left_over = left_over - #(found[3] or '')
end
return answer
