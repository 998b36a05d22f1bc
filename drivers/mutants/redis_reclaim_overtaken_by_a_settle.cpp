// redis_reclaim_overtaken_by_a_settle: an expired lease is looked for and its job put back in two
// round trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_reclaim_overtaken_by_a_settle() {
  return within_redis(
      {
          .name = "redis_reclaim_overtaken_by_a_settle",
          .rules = {"XLEASE-3"},
          .race = "an_expired_job_has_one_heir",
          .summary = "an expired lease is looked for and its job put back in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (call != "reserve") return;
        take_the_long_way(text);
        alter(text, "local run_at = job[EXPIRES]",
              "local run_at = string.format('%.0f', math.min(tonumber(job[EXPIRES]), dead_by))");
        text = apart(note_first(text, R"lua(
  if not flags or is_paused(flags) then return end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', root .. ':leases:' .. queue, '-inf', dead_by,
    'LIMIT', 0, reaped_at_once)) do
    noted[#noted + 1] = id
  end)lua"),
                     before(text, claim_at_last) + R"lua(
reap = function() end
for _, id in ipairs(cmsgpack.unpack(SEEN)) do expire(id, core(id)) end
)lua" + onward(text, claim_at_last));
      });
}

}  // namespace assay::mutants
