-- ARGV: 4 to 8 as the settle takes them, 9 its kind, empty: there is none; then how many puts there
-- are, and of each key, value and version (empty: any); how many drops, and of each key and
-- version; how many counts, and of each key, what it begins at and mark; how many jobs, and of each
-- the count that it is for, 0: for none, and what enqueue.lua takes from its third on, but for the
-- clock.
-- Answers {1, applied, what a nack answers, versions, {left, counted...}, {place and answer of each
-- enqueue...}}, or {0, why not, ...}.
local at = 9
local function word()
  at = at + 1
  return ARGV[at]
end
local function words_of(names)
  local all = {}
  for i = 1, tonumber(word()) do
    local one = {}
    for _, name in ipairs(names) do one[name] = word() end
    all[i] = one
  end
  return all
end
local kind = ARGV[9]
local puts = words_of({'key', 'value', 'version'})
local drops = words_of({'key', 'version'})
local counts = words_of({'key', 'from', 'mark'})
local jobs = words_of({'of', 3, 4, 5, 6, 7, 8, 9, 10})

local function record_of(key) return root .. ':record:' .. key end
local function marks_of(key) return root .. ':marks:' .. key end

-- Whether it is at the version that is asked for, the version and what is left.
local function look_at(part)
  local found = redis.call('HMGET', record_of(part.key), 'version', 'left')
  local version = found[1] or '0'
  local fits = not part.version or part.version == '' or part.version == version
  return fits, version, found[2]
end

local function conflict()
  for i, put in ipairs(puts) do
    local fits, version, left = look_at(put)
    if not fits or left then return {0, 'put', i, version} end
  end
  for i, drop in ipairs(drops) do
    local fits, version = look_at(drop)
    if not fits then return {0, 'drop', i, version} end
  end
  for i, count in ipairs(counts) do
    local _, version, left = look_at(count)
    if version ~= '0' and not left then return {0, 'count', i} end
    count.left = tonumber(left or count.from)
    count.counts = count.left > 0 and
      redis.call('SISMEMBER', marks_of(count.key), count.mark) == 0
    if count.counts then count.left = count.left - 1 end
  end
end

local function enqueue_all()
  local made = {}
  for i, job in ipairs(jobs) do
    local count = counts[tonumber(job.of)]
    if not count or (count.counts and count.left == 0) then
      job[1], job[2] = ARGV[1], ARGV[2]
      local answer = enqueue(job)
      if type(answer) == 'table' and answer[1] == 0 then return nil, {0, 'enqueue', i, answer} end
      made[#made + 1] = i
      made[#made + 1] = answer
    end
  end
  return made
end

local function write()
  local versions, counted = {}, {}
  for i, put in ipairs(puts) do
    versions[i] = redis.call('HINCRBY', record_of(put.key), 'version', 1)
    redis.call('HSET', record_of(put.key), 'value', put.value)
    if versions[i] == 1 then redis.call('ZADD', root .. ':records', 0, put.key) end
  end
  for _, drop in ipairs(drops) do
    redis.call('UNLINK', record_of(drop.key), marks_of(drop.key))
    redis.call('ZREM', root .. ':records', drop.key)
  end
  for _, count in ipairs(counts) do
    if count.counts then
      redis.call('HSET', record_of(count.key), 'left', count.left)
      if redis.call('HINCRBY', record_of(count.key), 'version', 1) == 1 then
        redis.call('ZADD', root .. ':records', 0, count.key)
      end
      redis.call('SADD', marks_of(count.key), count.mark)
    end
    counted[#counted + 1] = count.left
    counted[#counted + 1] = count.counts and 1 or 0
  end
  return versions, counted
end

local settle = settles[kind] or function() return 1 end
redis.call, redis.pcall = rehearse, rehearse
local told = settle()
if type(told) == 'table' and told[1] == 0 then return told end
if is_repeated then return {1, 0, told[2]} end
local refused = conflict()
if refused then return refused end
local made
made, refused = enqueue_all()
if refused then return refused end

redis.call, redis.pcall = server.call, server.pcall
told = settle()
local versions, counted = write()
return {1, 1, type(told) == 'table' and told[2] or '', versions, counted, (enqueue_all())}
