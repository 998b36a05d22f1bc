// postgres_pause_checked_then_claimed: a claim looks whether its queue is paused and takes a job
// in two round trips.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_pause_checked_then_claimed() {
  return within_postgres(
      {
          .name = "postgres_pause_checked_then_claimed",
          .rules = {"PAUSE-1"},
          .race = "a_job_behind_a_pause_meets_claims",
          .summary = "a claim looks whether its queue is paused and takes a job in two round trips",
      },
      [](PostgresStatements& sql) {
        const std::string open = setting(sql.reserve, "open_");
        look_first(sql, "reserve", look(sql.reserve, open + see("open_")));
        alter(sql.reserve, open, std::string("  open_ := ") + seen + "::bytea[];\n");
      });
}

}  // namespace assay::mutants
