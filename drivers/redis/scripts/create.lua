-- ARGV: 1 the clock's first instant, 2 create, attach, or ensure: attach, else create. Answers the generation, which no other
-- namespace of the name ever had: whoever is attached to an old one finds nothing.
local root = KEYS[1]
local kind = redis.call('TYPE', root).ok
if kind ~= 'none' and kind ~= 'hash' then return {0, 'foreign', kind} end
if kind == 'hash' then
  local found = redis.call('HMGET', root, 'layout', 'generation')
  if found[1] ~= LAYOUT then return {0, 'layout', found[1] or ''} end
  if ARGV[2] == 'create' then return {0, 'exists'} end
  if found[2] then return {1, found[2]} end
  if ARGV[2] == 'ensure' then return {0, 'going'} end
end
if ARGV[2] == 'attach' then return {0, 'missing'} end
local time = redis.call('TIME')
local generation = time[1] .. '.' .. time[2]
redis.call('HSET', root, 'layout', LAYOUT, 'generation', generation, 'clock', ARGV[1])
redis.call('SET', root .. ':number:' .. generation, 1)
return {1, generation}
