// postgres_replay_checked_then_written: a replay looks whether the job is dead and brings it back
// in two round trips.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_replay_checked_then_written() {
  return within_postgres(
      {
          .name = "postgres_replay_checked_then_written",
          .rules = {"XADMIN-3"},
          .race = "two_replays_of_one_dead_job_meet",
          .summary = "a replay looks whether the job is dead and brings it back in two round trips",
      },
      [](PostgresStatements& sql) {
        look_first(
            sql, "requeue",
            look(sql.requeue, setting(sql.requeue, "id_") +
                                  see("EXISTS (SELECT FROM jobs WHERE id = id_ AND state = 'x')")));
        alter(sql.requeue, "ELSIF j.state <> 'x' THEN",
              std::string("ELSIF NOT ") + seen + "::boolean THEN");
      });
}

}  // namespace assay::mutants
