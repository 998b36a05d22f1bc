-- Where jobs stand while somebody may claim them.
--   line:RANK:QUEUE  sorted by the instant from which a job may be claimed, then by its number
--   ranks:QUEUE      the ranks that have a line, where there are others than the middle one
--   early:QUEUE      jobs that may be claimed before their place in the line is reached: a caller
--                    whose clock was ahead made them
--   leases:QUEUE     where a lost lease leaves a trace: the leased, by expiry. Elsewhere they
--                    stand in line already, with their expiry as the instant.
-- A rank is twenty digits, the highest priority first. A member is the job's number in sixteen
-- digits and its id, so that ties go by number; of the leases it is the id.
local function line_of(queue, rank) return root .. ':line:' .. rank .. ':' .. queue end

-- What a queue has besides plain jobs: p paused, r ranks, e early ones.
local function mark(queue, letter)
  local field = ARGV[1] .. ':' .. queue
  local flags = redis.call('HGET', root, field) or ''
  if not string.find(flags, letter, 1, true) then
    redis.call('HSET', root, field, flags .. letter)
  end
end

-- Tells who listens that a job may be claimed. Without an id: that some may. A user who may not
-- publish goes on without.
local function wake(queue, id)
  redis.pcall('PUBLISH', root .. ':wake:' .. ARGV[1] .. ':' .. queue, id)
end

-- Whoever could run earlier goes first, but nobody before his own creation.
local function stand_in_line(id, job, from)
  local queue, member = job[QUEUE], job[SEQ] .. id
  local created, place = tonumber(job[CREATED]), tonumber(from)
  local early = created > place
  if early then place = created end
  redis.call('ZADD', line_of(queue, job[RANK]), place, member)
  if job[RANK] ~= MIDDLE then
    redis.call('ZADD', root .. ':ranks:' .. queue, 0, job[RANK], 0, MIDDLE)
    mark(queue, 'r')
  end
  if early and BY_CALLER then
    redis.call('ZADD', root .. ':early:' .. queue, place, member)
    mark(queue, 'e')
  end
  if tonumber(from) <= now then wake(queue, id) end
end

local function leave_line(id, job, from)
  local queue, member = job[QUEUE], job[SEQ] .. id
  local line = line_of(queue, job[RANK])
  redis.call('ZREM', line, member)
  if job[RANK] ~= MIDDLE and redis.call('EXISTS', line) == 0 then
    redis.call('ZREM', root .. ':ranks:' .. queue, job[RANK])
  end
  if BY_CALLER and tonumber(job[CREATED]) > tonumber(from) then
    redis.call('ZREM', root .. ':early:' .. queue, member)
  end
end

-- From when on a leased job may be claimed. Half a tick later where a lease holds at its expiry.
local function end_of_lease(job) return tonumber(job[EXPIRES]) + EDGE / 2 end

local function hold(id, job)
  if SWEEPS then
    redis.call('ZADD', root .. ':leases:' .. job[QUEUE], job[EXPIRES], id)
  else
    stand_in_line(id, job, end_of_lease(job))
  end
end

local function let_go(id, job)
  if SWEEPS then
    redis.call('ZREM', root .. ':leases:' .. job[QUEUE], id)
  else
    leave_line(id, job, end_of_lease(job))
  end
end
