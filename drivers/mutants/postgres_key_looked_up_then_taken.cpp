// postgres_key_looked_up_then_taken: a key is looked up and taken in two round trips, and no
// index holds it unique.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_key_looked_up_then_taken() {
  return within_postgres(
      {
          .name = "postgres_key_looked_up_then_taken",
          .rules = {"IDEMP-10"},
          .race = "one_key_makes_one_job",
          .summary =
              "a key is looked up and taken in two round trips, and no index holds it unique",
      },
      [](PostgresStatements& sql) {
        alter(sql.tables, "CREATE UNIQUE INDEX jobs_by_key", "CREATE INDEX jobs_by_key");
        look_first(sql, "enqueue",
                   look(sql.enqueue, see("EXISTS (SELECT FROM jobs WHERE key_slot = slot_)")));
        alter(sql.enqueue, "  FOR tries_", std::string("  IF ") + seen + R"sql(::boolean THEN
    SELECT * INTO j FROM jobs WHERE key_slot = slot_;
    IF FOUND THEN
      verdict := 'key';
      RETURN NEXT;
      RETURN;
    END IF;
  END IF;
  FOR tries_)sql");
      });
}

}  // namespace assay::mutants
