// redis_heartbeat_checked_then_written: a heartbeat checks its token and writes the lease in two
// round trips.
#include "drivers/mutants/in_redis.h"

namespace assay::mutants {

Mutant redis_heartbeat_checked_then_written() {
  return within_redis(
      {
          .name = "redis_heartbeat_checked_then_written",
          .rules = {"ACK-5", "STATE-4"},
          .race = "a_heartbeat_meets_a_settle",
          .summary = "a heartbeat checks its token and writes the lease in two round trips",
      },
      [](std::string_view call, std::string& text) {
        if (call != "extend") return;
        Halves halves = halves_of_settle(call, text);
        alter(halves.write, "if tonumber(expires) > tonumber(job[EXPIRES]) then",
              "if tonumber(expires) < tonumber(job[EXPIRES]) then expires = job[EXPIRES] end\ndo");
        alter(halves.write, "job[EXPIRES] = expires",
              "job[EXPIRES], job[TOKEN] = expires, ARGV[4]");
        alter(halves.write, "'lease', lease_text(job)",
              "'state', 'leased', 'lease', lease_text(job)");
        text = apart(halves.look, halves.write);
      });
}

}  // namespace assay::mutants
