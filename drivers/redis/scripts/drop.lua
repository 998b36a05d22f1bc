-- ARGV: 1 the generation, empty: any. Removes a part of the namespace; answers {1, 1} while there
-- is more. From the first call on nobody finds the namespace.
local root, jobs_at_once = KEYS[1], 500
local generation = redis.call('HGET', root, 'generation')
if generation then
  if ARGV[1] ~= '' and generation ~= ARGV[1] then return {1, 0} end
  redis.call('UNLINK', root, root .. ':number:' .. generation)
  redis.call('HSET', root, 'layout', LAYOUT)  -- so that nobody creates it before all is removed
end
local records = redis.call('ZRANGE', root .. ':records', 0, jobs_at_once - 1)
if #records > 0 then
  redis.call('ZREMRANGEBYRANK', root .. ':records', 0, #records - 1)
  local kept = {}
  for _, key in ipairs(records) do
    kept[#kept + 1] = root .. ':record:' .. key
    kept[#kept + 1] = root .. ':marks:' .. key
  end
  redis.call('UNLINK', unpack(kept))
  return {1, 1}
end
local queue = redis.call('SRANDMEMBER', root .. ':queues')
if not queue then
  redis.call('UNLINK', root .. ':keys', root .. ':queues', root)
  return {1, 0}
end
settle_arrivals(queue, jobs_at_once)
local ages = root .. ':ages:' .. queue
local ids = redis.call('ZRANGE', ages, 0, jobs_at_once - 1)
for i, id in ipairs(ids) do ids[i] = root .. ':job:' .. id end
if #ids > 0 then
  redis.call('UNLINK', unpack(ids))
  redis.call('ZREMRANGEBYRANK', ages, 0, #ids - 1)
end
if #ids < jobs_at_once then
  local lines = redis.call('ZRANGE', root .. ':ranks:' .. queue, 0, jobs_at_once - 1)
  for i, rank in ipairs(lines) do
    redis.call('ZREM', root .. ':ranks:' .. queue, rank)
    lines[i] = root .. ':line:' .. rank .. ':' .. queue
  end
  if #lines > 0 then redis.call('UNLINK', unpack(lines)) end
  if #lines < jobs_at_once then
    for _, kind in ipairs({'line:' .. MIDDLE, 'early', 'leases', 'dead', 'ages', 'ranks'}) do
      redis.call('UNLINK', root .. ':' .. kind .. ':' .. queue)
    end
    redis.call('SREM', root .. ':queues', queue)
  end
end
return {1, 1}
