local job = whole(subject)
if not job[STATE] then return {0, 'not_found'} end
job[STATE] = shown(job)
return {1, job}
