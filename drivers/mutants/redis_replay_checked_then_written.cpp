// redis_replay_checked_then_written: a replay looks whether the job is dead and brings it back in
// two round trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_replay_checked_then_written() {
  return within_redis(
      {
          .name = "redis_replay_checked_then_written",
          .rules = {"XADMIN-3"},
          .race = "two_replays_of_one_dead_job_meet",
          .summary = "a replay looks whether the job is dead and brings it back in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (call != "requeue") return;
        const std::string writing = "local given = ARGV[4]";
        text = apart(before(text, writing) + "return {2, ''}\n",
                     before(text, "local listed") + onward(text, writing));
      });
}

}  // namespace assay::mutants
