// redis_exec_not_looked_at: a settle writes in a transaction of a watched job, and nobody looks
// whether EXEC did it.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_exec_not_looked_at() {
  return within_redis(
      {
          .name = "redis_exec_not_looked_at",
          .rules = {"FENCE-2"},
          .race = "two_settles_of_one_claim_meet",
          .summary = "a settle writes in a transaction of a watched job, and nobody looks whether "
                     "EXEC did it",
      },
      [](std::string_view call, std::string& text) {
        // What a nack answers is known only once it is done.
        if (!is_settle(call) || call == "nack") return;
        const Halves halves = halves_of_settle(call, text);
        text = apart(apart("WATCH", halves.look), apart("MULTI", apart(halves.write, "EXEC")));
      });
}

}  // namespace assay::mutants
