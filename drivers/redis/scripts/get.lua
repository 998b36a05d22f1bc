local job = core(subject)
if not job[STATE] then return {0, 'not_found'} end
return {1, row_of(subject, shown(job))}
