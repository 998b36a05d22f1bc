// What people do: cancel, requeue and replay.
#include "drivers/postgres/detail/sql.h"

namespace assay::pg {

std::string cancel_function() {
  return text_of({.name = "cancel",
                  .parameters = ", id_ bytea, release_ boolean",
                  .body = "  id_ := " + brief("id_") + ";\n  UPDATE jobs SET " + ended("c") + ", " +
                          no_lease() +
                          R"sql( WHERE id = id_ AND state IN ('w', 'l');
  IF FOUND THEN
    verdict := 'done';
  ELSE
    SELECT * INTO j FROM jobs WHERE id = id_;
    verdict := CASE WHEN FOUND THEN 'refused' ELSE 'missing' END;
  END IF;
  RETURN NEXT;
)sql"});
}

// The job, locked, unless something forbids its return to the living.
static std::string requeueing(const std::string& body) {
  return "  id_ := " + brief("id_") + R"sql(;
  SELECT * INTO j FROM jobs WHERE id = id_ FOR UPDATE;
  IF NOT FOUND THEN
    verdict := 'missing';
  ELSIF fresh_ AND j.state = 'x' AND j.watch IS NULL THEN
    verdict := 'replayed';
  ELSIF j.state <> 'x' THEN
    verdict := 'refused';
  ELSIF release_ AND EXISTS (SELECT FROM jobs WHERE key_slot = )sql" +
         slot("j.queue", "j.type", "j.key") + R"sql() THEN
    verdict := 'key';
  ELSE
    BEGIN
)sql" + body +
         R"sql(
      verdict := 'done';
    EXCEPTION WHEN unique_violation THEN
      verdict := 'key';
    END;
  END IF;
  RETURN NEXT;
)sql";
}

static std::string requeue_parameters() {
  return ", id_ bytea, run_at_ bigint, release_ boolean, keyed_ boolean, scope_ text";
}

std::string requeue_function() {
  return text_of(
      {.name = "requeue",
       .parameters = requeue_parameters() + ", attempts_ bigint",
       .variables = "  fresh_ boolean := false;\n  from_ bigint;",
       .body =
           "  from_ := coalesce(run_at_, now_ms);\n" +
           requeueing(
               "      UPDATE jobs SET " + waiting("from_") +
               ", key_slot = CASE WHEN release_ THEN " +
               slot("jobs.queue", "jobs.type", "jobs.key") + " ELSE key_slot END, " +
               "attempts = coalesce(attempts_, attempts), lease_losses = CASE WHEN attempts_ IS "
               "NULL THEN lease_losses ELSE 0 END, retrying = false, dead_reason = NULL, "
               "dead_error = NULL, dead_at = NULL, " +
               no_settle() + " WHERE id = id_;")});
}

// The new job takes the key over.
std::string replay_function() {
  return text_of(
      {.name = "replay",
       .parameters = requeue_parameters() + ", attempts_ bigint, hex_ text",
       .variables = "  fresh_ boolean := true;\n  seq_ bigint;\n  made_ bytea;",
       .body = requeueing("      UPDATE jobs SET watch = NULL, key_slot = NULL, " + no_settle() +
                          R"sql( WHERE id = id_;
      LOOP
        seq_ := nextval('seqs');
        made_ := )sql" + made_id() +
                          R"sql(;
        EXIT WHEN NOT EXISTS (SELECT FROM jobs WHERE id = made_);
      END LOOP;
      INSERT INTO jobs ()sql" +
                          new_columns() + R"sql()
      VALUES (seq_, made_, NULL, j.queue, j.long_queue, j.type, 'w', now_ms, run_at_, coalesce(run_at_, now_ms),
        greatest(run_at_, now_ms), CASE WHEN run_at_ < now_ms THEN 'b'::"char" END, j.rank, j.priority,
        j.max_attempts, j.timeout_ms, j.key, CASE WHEN keyed_ THEN )sql" +
                          slot("j.queue", "j.type", "j.key") + R"sql( END, attempts_, j.payload);
      j.id := made_;
      j.long_id := NULL;)sql")});
}

}  // namespace assay::pg
