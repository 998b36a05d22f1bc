// postgres_reclaim_overtaken_by_a_settle: an expired lease is looked for and its job put back in
// two round trips.
#include "drivers/mutants/in_postgres.h"

namespace assay::mutants {

Mutant postgres_reclaim_overtaken_by_a_settle() {
  return within_postgres(
      {
          .name = "postgres_reclaim_overtaken_by_a_settle",
          .rules = {"XLEASE-3"},
          .race = "an_expired_job_has_one_heir",
          .summary = "an expired lease is looked for and its job put back in two round trips",
      },
      [](PostgresStatements& sql) {
        look_first(sql, "reserve",
                   look(sql.reserve,
                        setting(sql.reserve, "dead_by_") + setting(sql.reserve, "id_") +
                            setting(sql.reserve, "open_") + see(R"sql(ARRAY(SELECT id FROM jobs
    WHERE queue = ANY(open_) AND watch = ANY('{l,c}') AND due <= dead_by_
      AND (id_ IS NULL OR id = id_)))sql")));
        alter(sql.reserve, "IF sweep_ AND (lapsed_ OR backdated_) THEN", "IF sweep_ THEN");
        alter(sql.reserve, part(sql.reserve, "    picked_ := ARRAY(", "    IF picked_ <> "),
              std::string("    picked_ := ARRAY(SELECT ctid FROM jobs WHERE id = ANY(") + seen +
                  "::bytea[]));\n");
        alter(sql.reserve, "ELSE j.expires_at END;", "ELSE least(j.expires_at, dead_by_) END;");
      });
}

}  // namespace assay::mutants
