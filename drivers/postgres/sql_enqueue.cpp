// Enqueues.
#include "drivers/postgres/detail/sql.h"

namespace assay::pg {

static const char* const job_parameters =
    ", id_ bytea, queue_ bytea, type_ bytea, payload_ bytea, run_at_ bigint, max_attempts_ bigint, "
    "timeout_ bigint, key_ bytea, priority_ bigint, rank_ bigint, attempts_ bigint";

std::string knob_parameters() {
  return ", hex_ text, keyed_ boolean, scope_ text, schedules_ boolean";
}

static std::string own_slot() {
  return "CASE WHEN keyed_ AND key_ IS NOT NULL THEN " +
         slot("(" + brief("queue_") + ")", "type_", "key_") + " END";
}

static std::string new_values() {
  return "seq_, coalesce(" + brief("id_") + ", " + made_id() + "), " + beyond_brief("id_") + ", " +
         brief("queue_") + ", " + beyond_brief("queue_") +
         ", type_, 'w', now_ms, run_at_, coalesce(run_at_, now_ms), greatest(run_at_, now_ms), "
         "CASE WHEN run_at_ < now_ms THEN 'b'::\"char\" END, rank_, priority_, max_attempts_, "
         "timeout_, key_, " +
         own_slot() + ", attempts_, payload_";
}

// Inserted first and looked up only where that meets another job. A key or an id that somebody else
// is just inserting is waited for.
std::string enqueue_function() {
  return text_of({.name = "enqueue",
                  .parameters = job_parameters + knob_parameters(),
                  .variables = "  seq_ bigint;\n  slot_ bytea := " + own_slot() + ";",
                  .body = R"sql(
  IF run_at_ > now_ms AND NOT schedules_ THEN
    verdict := 'unscheduled';
    RETURN NEXT;
    RETURN;
  END IF;
  FOR tries_ IN 1..100 LOOP
    seq_ := nextval('seqs');
    INSERT INTO jobs ()sql" +
                          new_columns() + ") VALUES (" + new_values() + R"sql()
    ON CONFLICT DO NOTHING RETURNING * INTO j;
    IF FOUND THEN
      verdict := 'made';
      RETURN NEXT;
      RETURN;
    END IF;
    IF slot_ IS NOT NULL THEN
      SELECT * INTO j FROM jobs WHERE key_slot = slot_;
      IF FOUND THEN
        verdict := 'key';
        RETURN NEXT;
        RETURN;
      END IF;
    END IF;
    IF id_ IS NOT NULL THEN
      SELECT * INTO j FROM jobs WHERE id = )sql" +
                          brief("id_") + R"sql(;
      IF FOUND THEN
        verdict := CASE WHEN (coalesce(j.long_queue, j.queue), j.type, j.payload, j.given_run_at,
          j.max_attempts, j.timeout_ms, j.key, j.priority) IS NOT DISTINCT FROM (queue_, type_,
          payload_, run_at_, max_attempts_, timeout_, key_, priority_) THEN 'same' ELSE 'id' END;
        RETURN NEXT;
        RETURN;
      END IF;
    END IF;
  END LOOP;
  RAISE EXCEPTION 'somebody makes and removes the same job all the time' USING ERRCODE = '40001';
)sql"});
}

static std::vector<std::string> given_job() {
  return {"id_ bytea",        "queue_ bytea",         "type_ bytea",       "payload_ bytea",
          "run_at_ bigint",   "max_attempts_ bigint", "timeout_ bigint",   "key_ bytea",
          "priority_ bigint", "rank_ bigint",         "attempts_ bigint",  "hex_ text",
          "keyed_ boolean",   "scope_ text",          "schedules_ boolean"};
}

// What most enqueues come to: nothing else is met, and no row of an answer means that the function
// has to look closer.
std::string enqueue_quickly(Now now) {
  // For jobs that bring no key, with an id and of a queue that are their own `brief`. Where the id
  // is taken it throws, which is cheaper than to insert with care.
  if (now == Now::by_caller)
    return "INSERT INTO jobs (seq, id, queue, type, state, created_at, given_run_at, run_at, due, "
           "watch, rank, priority, max_attempts, timeout_ms, attempts, payload) SELECT "
           "nextval('seqs'), $3::bytea, $4::bytea, $5::bytea, 'w', $2::bigint, $7::bigint, "
           "coalesce($7, $2), greatest($7, $2), CASE WHEN $7 < $2 THEN 'b'::\"char\" END, "
           "$11::bigint, $10::bigint, $8::bigint, $9::bigint, $12::bigint, $6::bytea WHERE " +
           is_there();
  return "INSERT INTO jobs (" + new_columns() + ") SELECT " + new_values() +
         " FROM (SELECT nextval('seqs') AS seq_, m.* FROM " + present() + " m OFFSET 0) n, " +
         given(given_job()) +
         " g WHERE (run_at_ > now_ms AND NOT schedules_) IS NOT TRUE ON CONFLICT DO NOTHING "
         "RETURNING 'made', 0, seq, id, long_id";
}

// The same for many that differ in nothing but id and payload.
std::string enqueue_alike_quickly() {
  return "INSERT INTO jobs (seq, id, queue, type, state, created_at, given_run_at, run_at, due, "
         "watch, rank, priority, max_attempts, timeout_ms, attempts, payload) SELECT "
         "nextval('seqs'), one.id, $4::bytea, $5::bytea, 'w', $2::bigint, $7::bigint, "
         "coalesce($7, $2), greatest($7, $2), CASE WHEN $7 < $2 THEN 'b'::\"char\" END, "
         "$11::bigint, $10::bigint, $8::bigint, $9::bigint, $12::bigint, one.payload FROM "
         "unnest($3::bytea[], $6::bytea[]) AS one (id, payload) WHERE " +
         is_there();
}

std::string many_parameters() {
  return ", ids_ bytea[], queues_ bytea[], types_ bytea[], payloads_ bytea[], run_ats_ bigint[], "
         "max_attempts_s_ bigint[], timeouts_ bigint[], keys_ bytea[], priorities_ bigint[], "
         "ranks_ bigint[], attempts_s_ bigint[]";
}

static const char* const unnested =
    "unnest(ids_, queues_, types_, payloads_, run_ats_, max_attempts_s_, timeouts_, keys_, "
    "priorities_, ranks_, attempts_s_) WITH ORDINALITY AS one (id_, queue_, type_, payload_, "
    "run_at_, max_attempts_, timeout_, key_, priority_, rank_, attempts_, place_)";

// One after the other, in their order; a row of an answer each.
std::string enqueue_all_function() {
  return text_of({.name = "enqueue_all",
                  .parameters = many_parameters() + knob_parameters(),
                  .variables = "  one_ record;",
                  .body = std::string("  FOR one_ IN SELECT * FROM ") + unnested +
                          R"sql( ORDER BY place_ LOOP
    RETURN QUERY SELECT * FROM enqueue(era_, caller_, clock_, one_.id_, one_.queue_, one_.type_,
      one_.payload_, one_.run_at_, one_.max_attempts_, one_.timeout_, one_.key_, one_.priority_,
      one_.rank_, one_.attempts_, hex_, keyed_, scope_, schedules_);
  END LOOP;)sql"});
}

// For jobs that bring neither an id nor a key, nor ask for a later time where that is refused: all
// are made, or none. The answer shows them in their order.
std::string enqueue_all_quickly() {
  return "INSERT INTO jobs (" + new_columns() + ") SELECT " + new_values() +
         " FROM (SELECT nextval('seqs') AS seq_, o.* FROM (SELECT m.*, g.*, one.* FROM " +
         present() + " m, " +
         given({"ids_ bytea[]", "queues_ bytea[]", "types_ bytea[]", "payloads_ bytea[]",
                "run_ats_ bigint[]", "max_attempts_s_ bigint[]", "timeouts_ bigint[]",
                "keys_ bytea[]", "priorities_ bigint[]", "ranks_ bigint[]", "attempts_s_ bigint[]",
                "hex_ text", "keyed_ boolean", "scope_ text", "schedules_ boolean"}) +
         " g, LATERAL " + unnested +
         " ORDER BY place_ OFFSET 0) o) n RETURNING 'made', 0, seq, id, long_id";
}

}  // namespace assay::pg
