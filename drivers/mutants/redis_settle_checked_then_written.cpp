// redis_settle_checked_then_written: a settle checks its token and writes in two round trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_settle_checked_then_written() {
  return within_redis(
      {
          .name = "redis_settle_checked_then_written",
          .rules = {"FENCE-2"},
          .race = "two_settles_of_one_claim_meet",
          .summary = "a settle checks its token and writes in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (!is_settle(call)) return;
        const Halves halves = halves_of_settle(call, text);
        text = apart(halves.look, halves.write);
      });
}

}  // namespace assay::mutants
