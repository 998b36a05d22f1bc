-- All jobs of a queue, for listings, are in ages:QUEUE, sorted by creation. New ones arrive in a
-- list, which costs an enqueue half as much; whoever reads the ages brings them in first.
-- How many were left to bring in.
local function settle_arrivals(queue, most)
  local arrivals = KEYS[1] .. ':arrivals:' .. queue
  local found = redis.call('LRANGE', arrivals, 0, most - 1)
  if #found == 0 then return 0 end
  -- Before the rest, since a server without memory still lets a script shorten a list.
  redis.call('LTRIM', arrivals, #found, -1)
  local pairs_of = {}
  for _, arrival in ipairs(found) do
    local created, id = string.match(arrival, '^(%S+) (.*)$')
    pairs_of[#pairs_of + 1] = created
    pairs_of[#pairs_of + 1] = id
  end
  redis.call('ZADD', KEYS[1] .. ':ages:' .. queue, unpack(pairs_of))
  return redis.call('LLEN', arrivals)
end

