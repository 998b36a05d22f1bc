-- Somebody listens from now on. That is told by the numbers of new jobs, which go on from a high one
-- then: an enqueue has one at hand anyway, and to ask for anything else would cost it some percent.
local root = KEYS[1]
if redis.call('HGET', root, 'generation') ~= ARGV[1] then return {0, 'gone'} end
local counter = root .. ':number:' .. ARGV[1]
local number = tonumber(redis.call('GET', counter))
if number <= HEARD + 1 then redis.call('INCRBY', counter, HEARD + 1) end
return {1}
