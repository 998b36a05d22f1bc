-- ARGV: 4 ages or dead: the sorted set to read, 5 and 6 the place behind which to begin (empty:
-- the beginning), 7 how many are wanted, 8 their state (empty: any).
-- Answers {1, more, place, jobs...}: more is 1 where the set goes on and the call stopped because
-- it had looked at enough.
-- The same place again while jobs are left to bring in.
if ARGV[4] == 'ages' and settle_arrivals(subject, 1000) > 0 then return {1, 1, ARGV[5], ARGV[6]} end
local set = root .. ':' .. ARGV[4] .. ':' .. subject
local most, state = tonumber(ARGV[7]), ARGV[8]
local looked_at_most, bytes_at_most, step = 1000, 4194304, 100

local function is_behind(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x > y end
  end
  return #a > #b
end

-- How many stand before, or at, the place. The job that stood there may be gone.
local function count_to(at, id)
  if at == '' then return 0 end
  local score = redis.call('ZSCORE', set, id)
  if score and tonumber(score) == tonumber(at) then return redis.call('ZRANK', set, id) + 1 end
  local low = redis.call('ZCOUNT', set, '-inf', '(' .. at)
  local high = redis.call('ZCOUNT', set, '-inf', at)
  while low < high do
    local middle = math.floor((low + high) / 2)
    local other = redis.call('ZRANGE', set, middle, middle)[1]
    if is_behind(other, id) then high = middle else low = middle + 1 end
  end
  return low
end

local answer = {1, 0, '', ''}
local from, looked, bytes = count_to(ARGV[5], ARGV[6]), 0, 0
while true do
  local page = redis.call('ZRANGE', set, from, from + step - 1, 'WITHSCORES')
  if #page == 0 then return answer end
  for i = 1, #page, 2 do
    if #answer - 4 == most then return answer end
    if looked == looked_at_most or bytes > bytes_at_most then
      answer[2] = 1
      return answer
    end
    local id = page[i]
    local is = shown(core(id))
    if state == '' or is == state then
      local row = row_of(id, is)
      bytes = bytes + #row[3]
      answer[#answer + 1] = row
    end
    looked = looked + 1
    answer[3], answer[4] = page[i + 1], id
  end
  from = from + step
end
