-- ARGV: 4 lease, 5 its expiry by the caller's clock, 6 the size of the worker's name, a space and
-- the name, 7 most claims, 8 secret of the tokens, 9 seed of the backoff, 10 id, where a claim is
-- by id, 11... the other queues.
-- Answers {1, more, claims...}: more is 1 where lost leases are left that this call did not look
-- at, so that no call looks at too many.
local lease, most, wanted = tonumber(ARGV[4]), tonumber(ARGV[7]), ARGV[10]
local reaped_at_once, early_at_once, ranks_at_once = 100, 1000, 64
local answer = {1, 0}
if WAITS then math.randomseed(tonumber(ARGV[9])) end

local function claim(id, job)
  local key, lapsed = key_of(id), job[STATE] == 'leased'
  if lapsed then
    let_go(id, job)
    redis.call('HSET', key, 'run_at', job[EXPIRES])
  else
    leave_line(id, job, job[RUN_AT])
  end
  if COUNTER == 'starts' then
    job[ATTEMPTS] = plus_one(job[ATTEMPTS])
    redis.call('HSET', key, 'attempts', job[ATTEMPTS])
  end
  local version = string.format('%.0f', tonumber(job[VERSION] or 0) + 1)
  -- A job's claims are numbered, so no token is made twice.
  job[TOKEN] = 'lease-' .. job[SEQ] .. '-' .. version .. '-' .. ARGV[8]
  job[VERSION], job[FENCE] = version, COUNTER == 'attempt_no' and job[ATTEMPTS] or version
  job[EXPIRES], job[WORKER] = later(now, lease), string.match(ARGV[6], '^%d+ (.*)$')
  redis.call('HSET', key, 'state', 'leased', 'lease', lease_text(job))
  hold(id, job)
  answer[#answer + 1] = row_of(id)
end

local function flags_of(queue) return redis.call('HGET', root, ARGV[1] .. ':' .. queue) end
local function is_paused(flags) return flags and string.find(flags, 'p', 1, true) end

local function reap(queue)
  local lapsed = redis.call('ZRANGEBYSCORE', root .. ':leases:' .. queue, '-inf', dead_by,
    'LIMIT', 0, reaped_at_once)
  for _, id in ipairs(lapsed) do expire(id, core(id)) end
  if #lapsed == reaped_at_once then answer[2] = 1 end
end

local found = {}
local function add(rank, place, member)
  found[#found + 1] = {rank = rank, place = tonumber(place), seq = string.sub(member, 1, 16),
    id = string.sub(member, 17)}
end

-- Rank by rank, so that the line leads straight to what is due, however much is scheduled.
local function collect_due(queue, flags)
  local left, from = most, 0
  local ranked = string.find(flags, 'r', 1, true)
  repeat
    local ranks = {MIDDLE}
    if ranked then
      ranks = redis.call('ZRANGE', root .. ':ranks:' .. queue, from, from + ranks_at_once - 1)
    end
    for _, rank in ipairs(ranks) do
      local due = redis.call('ZRANGEBYSCORE', line_of(queue, rank), '-inf', now, 'WITHSCORES',
        'LIMIT', 0, left)
      for i = 1, #due, 2 do add(rank, due[i + 1], due[i]) end
      left = left - #due / 2
      if left <= 0 then return end
    end
    from = from + ranks_at_once
  until #ranks < ranks_at_once
end

local function collect_early(queue)
  local early = redis.call('ZRANGEBYSCORE', root .. ':early:' .. queue,
    '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES', 'LIMIT', 0, early_at_once)
  for i = 1, #early, 2 do
    local job = core(string.sub(early[i], 17))
    local from = job[STATE] == 'leased' and end_of_lease(job) or tonumber(job[RUN_AT])
    if from <= now then add(job[RANK], early[i + 1], early[i]) end
  end
end

local function goes_first(a, b)
  if a.rank ~= b.rank then return a.rank < b.rank end
  if a.place ~= b.place then return a.place < b.place end
  return a.seq < b.seq
end

local function claim_next(queue, flags)
  if not flags or is_paused(flags) then return end
  if SWEEPS then reap(queue) end
  collect_due(queue, flags)
  if string.find(flags, 'e', 1, true) then collect_early(queue) end
end

local function claim_by_id(id)
  local job = core(id)
  if not job[STATE] then return end
  local asked = job[QUEUE] == subject
  for i = 11, #ARGV do asked = asked or ARGV[i] == job[QUEUE] end
  if not asked or is_paused(flags_of(job[QUEUE])) then return end
  if job[STATE] == 'leased' then
    if tonumber(job[EXPIRES]) > dead_by then return end
    if not SWEEPS then return claim(id, job) end
    if expire(id, job) == 'dead' then return end
    job = core(id)
  end
  if job[STATE] == 'waiting' and tonumber(job[RUN_AT]) <= now then claim(id, job) end
end

if wanted ~= '' then
  claim_by_id(wanted)
  return answer
end
claim_next(subject, head[3])
for i = 11, #ARGV do claim_next(ARGV[i], flags_of(ARGV[i])) end
if #found > 1 then table.sort(found, goes_first) end
for i = 1, math.min(#found, most) do claim(found[i].id, core(found[i].id)) end
return answer
