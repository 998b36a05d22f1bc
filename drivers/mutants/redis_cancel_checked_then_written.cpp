// redis_cancel_checked_then_written: a cancel looks whether the job has ended and ends it in two
// round trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_cancel_checked_then_written() {
  return within_redis(
      {
          .name = "redis_cancel_checked_then_written",
          .rules = {"CANCEL-4"},
          .race = "a_cancel_meets_a_claim_and_an_ack",
          .summary = "a cancel looks whether the job has ended and ends it in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (call != "cancel") return;
        const std::string ended = "else\n  return {0, 'ended', job[STATE]}\n";
        std::string writing = text;
        alter(writing, ended, "");
        text = apart(before(text, "if job[STATE] == 'waiting' then\n  leave_line") + R"lua(
if job[STATE] == 'waiting' or job[STATE] == 'leased' then return {2, ''} end
return {0, 'ended', job[STATE]}
)lua",
                     writing);
      });
}

}  // namespace assay::mutants
