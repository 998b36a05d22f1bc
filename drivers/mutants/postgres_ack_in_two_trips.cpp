// postgres_ack_in_two_trips: an ack takes the job out of sight of those who look for lost leases,
// and ends it in another round trip: who dies in between leaves a job that nobody gets.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_ack_in_two_trips() {
  return within_postgres(
      {
          .name = "postgres_ack_in_two_trips",
          .rules = {"LEASE-4"},
          .is_broken_by_death = true,
          .summary = "an ack ends the lease in one round trip and the job in another",
      },
      [](PostgresStatements& sql) {
        look_first(sql, "ack",
                   look(sql.ack, setting(sql.ack, "id_") +
                                     "  UPDATE jobs SET watch = NULL WHERE id = id_ AND "
                                     "state = 'l' AND token = token_;\n"));
      });
}

}  // namespace assay::mutants
