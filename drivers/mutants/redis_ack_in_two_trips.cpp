// redis_ack_in_two_trips: an ack ends the lease in one round trip and the job in another: who dies
// in between leaves a job that nobody holds and nobody gets.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_ack_in_two_trips() {
  return within_redis(
      {
          .name = "redis_ack_in_two_trips",
          .rules = {"LEASE-4"},
          .is_broken_by_death = true,
          .summary = "an ack ends the lease in one round trip and the job in another",
      },
      [](std::string_view call, std::string& text) {
        if (call != "ack") return;
        Halves halves = halves_of_settle(call, text);
        alter(halves.look, "return {2, ''}\n", "let_go(subject, job)\nreturn {2, ''}\n");
        alter(halves.write, "let_go(subject, job)\n", "");
        text = apart(halves.look, halves.write);
      });
}

}  // namespace assay::mutants
