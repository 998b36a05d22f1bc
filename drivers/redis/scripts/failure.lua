-- What a failure, or a lost lease, leads to.
local function runs_allowed(limit)
  local stated = tonumber(limit or 0)
  if stated <= 0 then stated = DEFAULT_LIMIT end
  if RETRIES then return stated + 1 end
  return math.max(stated, 1)
end

-- Full jitter, from the number that the caller drew.
local function backoff(failure)
  local window, n = math.min(BASE, CAP), 1
  while n < failure and window > 0 and window < CAP do
    window, n = math.min(window * 2, CAP), n + 1
  end
  return math.floor(math.random() * (window + 1))
end

-- A key that only active jobs hold is free again.
local function release_key(id, job)
  if IDEM ~= 'active' or not job[KEY] then return end
  local keys = root .. ':keys'
  if redis.call('HGET', keys, job[KEY]) == id then redis.call('HDEL', keys, job[KEY]) end
end

local function bury(id, job, reason, why, attempts)
  redis.call('HSET', key_of(id), 'state', 'dead', 'reason', reason, 'error', why,
    'buried', now, 'attempts', attempts)
  redis.call('ZADD', root .. ':dead:' .. job[QUEUE], now, id)
  release_key(id, job)
end
