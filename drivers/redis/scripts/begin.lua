-- Begins the scripts of a session. Before it stand the profile's settings (scripts.cpp).
--
-- KEYS[1] is the namespace's root, a hash. What it knows of a queue is in the field that is named
-- by the generation, a colon and the queue. Every other key is the root, a word and at most one
-- name, which comes last: so no name can be taken for another key's, and all keys have the hash
-- tag of the root, the first pair of braces.
-- ARGV: 1 the generation, 2 the caller's clock, 3 the queue or the job that is meant.
-- Answers: {1, ...}, or {0, why not, ...} where nothing was changed.
--
-- Lua's numbers are doubles: instants fit, and counters are stored as they came where nobody
-- counts. Lua's `<` on strings goes by the server's locale: it is used on digits alone.
local root, subject = KEYS[1], ARGV[3]
local head = redis.call('HMGET', root, 'generation', 'clock', ARGV[1] .. ':' .. subject)
if head[1] ~= ARGV[1] then return {0, 'gone'} end
local now
if BY_CALLER then
  now = tonumber(ARGV[2])
elseif VIRTUAL then
  now = tonumber(head[2])
else
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local dead_by = now - EDGE  -- a lease is over when it expires then or before
