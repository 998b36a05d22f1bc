// postgres_counter_read_then_written: a claim reads the counter and writes it back in two round
// trips.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_counter_read_then_written() {
  return within_postgres(
      {
          .name = "postgres_counter_read_then_written",
          .rules = {"RETRY-1", "RETRY-7"},
          .race = "a_retry_meets_the_next_claim",
          .summary = "a claim reads the counter and writes it back in two round trips",
      },
      [](PostgresStatements& sql) {
        const std::string counters = std::string(seen) + "::jsonb";
        choose_then_take(
            sql,
            "SELECT coalesce(jsonb_object_agg(encode(id, 'hex'), attempts), '{}') FROM jobs "
            "WHERE ctid = ANY(picked_)",
            "'{}'",
            "encode(id, 'hex') IN (SELECT jsonb_object_keys(" + counters +
                ")) AND state = 'w' AND run_at <= now_ms");
        alter(sql.reserve, "attempts = attempts + CASE",
              "attempts = (" + counters + " ->> encode(id, 'hex'))::bigint + CASE");
      });
}

}  // namespace assay::mutants
