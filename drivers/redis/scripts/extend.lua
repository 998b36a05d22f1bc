-- ARGV: 6 lease. An extension never shortens.
local job, answer = admit('extend')
if not job then return answer end
local expires = later(now, tonumber(ARGV[6]))
if tonumber(expires) > tonumber(job[EXPIRES]) then
  let_go(subject, job)
  job[EXPIRES] = expires
  redis.call('HSET', key_of(subject), 'lease', lease_text(job))
  hold(subject, job)
end
return {1, job[EXPIRES]}
