// redis_pause_checked_then_claimed: a claim looks whether its queue is paused and takes a job in
// two round trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_pause_checked_then_claimed() {
  return within_redis(
      {
          .name = "redis_pause_checked_then_claimed",
          .rules = {"PAUSE-1"},
          .race = "a_job_behind_a_pause_meets_claims",
          .summary = "a claim looks whether its queue is paused and takes a job in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (call != "reserve") return;
        take_the_long_way(text);
        std::string claiming = "local paused = cmsgpack.unpack(SEEN)\n" + text;
        alter(claiming, "not flags or is_paused(flags)", "not flags or paused[queue]");
        alter(claiming, "is_paused(flags_of(job[QUEUE]))", "paused[job[QUEUE]]");
        text = apart(note_first(text, "  if is_paused(flags) then noted[queue] = 1 end"), claiming);
      });
}

}  // namespace assay::mutants
