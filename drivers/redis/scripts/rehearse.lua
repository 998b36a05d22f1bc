-- Begins a script that makes several calls at once, of which any may be refused: nothing can be
-- taken back here, so all of it is rehearsed first, and done only then. In the rehearsal nothing is
-- written; what would have been is remembered as far as somebody asks for it: which keys are taken
-- or given back, and which jobs are made.
local server = redis
local redis = {call = server.call, pcall = server.pcall}
local rehearsal = {keys = {}, jobs = {}, made = 0}
local reads = {HGET = true, HMGET = true, EXISTS = true, GET = true, TIME = true, ZSCORE = true,
  SISMEMBER = true}

local function rehearse(...)
  local command, key, field, value, _, more = ...
  local keys, jobs = rehearsal.keys, rehearsal.jobs
  local is_of_keys = key == KEYS[1] .. ':keys'
  if command == 'HGET' and is_of_keys and keys[field] ~= nil then return keys[field] end
  if command == 'EXISTS' and jobs[key] then return 1 end
  if command == 'HMGET' and jobs[key] then return jobs[key] end  -- what enqueue.lua compares
  if reads[command] then return server.call(...) end
  if command == 'HSET' and is_of_keys then keys[field] = value end
  if command == 'HDEL' and is_of_keys then keys[field] = false end
  if command == 'HSET' and field == 'fixed' then jobs[key] = {value, more} end
  if command == 'INCR' then
    rehearsal.made = rehearsal.made + 1
    return (tonumber(server.call('GET', key)) or 0) + rehearsal.made
  end
  return 2
end
