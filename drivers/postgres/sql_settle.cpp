// Extensions and settles: one guarded change each.
#include "drivers/postgres/detail/sql.h"

namespace assay::pg {

static std::string held() {
  return "state = 'l' AND (NOT strict_ OR expires_at > " + dead_by() +
         ") AND (unfenced_ OR (token = token_ AND attempt IS NOT DISTINCT FROM attempt_))";
}

std::string hold_parameters() {
  return ", id_ bytea, token_ bytea, attempt_ bigint, unfenced_ boolean, strict_ boolean, "
         "edge_ boolean";
}

static std::string settled(const std::string& kind) {
  return no_lease() + ", settle_kind = " + kind +
         ", settle_token = token_, settle_attempt = attempt_";
}

// Changes the job that `held` lets change; else shows what there is.
static std::string guarded(const std::string& change, const std::string& returning) {
  return "  id_ := " + brief("id_") + ";\n  UPDATE jobs SET " + change + " WHERE id = id_ AND " +
         held() + returning + R"sql(;
  IF FOUND THEN
    verdict := 'done';
  ELSE
    SELECT * INTO j FROM jobs WHERE id = id_;
    verdict := CASE WHEN FOUND THEN 'refused' ELSE 'missing' END;
  END IF;
  RETURN NEXT;
)sql";
}

std::string extend_function() {
  const std::string until = "greatest(expires_at, " + plus("now_ms", "lease_") + ")";
  return text_of({.name = "extend",
                  .parameters = hold_parameters() + ", lease_ bigint",
                  .body = guarded(leased_until(until), " RETURNING expires_at INTO j.expires_at")});
}

static std::string acked() { return ended("d") + ", " + settled("'ack'"); }

std::string ack_function() {
  return text_of({.name = "ack",
                  .parameters = hold_parameters() + ", release_ boolean",
                  .body = guarded(acked(), "")});
}

// What most acks come to; by the caller's clock, for ids that are their own `brief`. Without a row
// of an answer the function has to say why.
std::string ack_quickly(Now now) {
  return "UPDATE jobs SET " + acked() + " FROM " + present(now) + " m, " +
         given({"id_ bytea", "token_ bytea", "attempt_ bigint", "unfenced_ boolean",
                "strict_ boolean", "edge_ boolean", "release_ boolean"}) +
         " g WHERE id = " + (now == Now::by_caller ? "id_" : brief("id_")) + " AND " + held() +
         (now == Now::by_caller ? " AND " + is_there() : "") + " RETURNING 'done'";
}

static const char* const unnested =
    "unnest(ids_, tokens_, attempts_s_) WITH ORDINALITY AS one (id_, token_, attempt_, place_)";

// One after the other, in their order; a row of an answer each.
std::string ack_all_function() {
  return text_of({.name = "ack_all",
                  .parameters = ", ids_ bytea[], tokens_ bytea[], attempts_s_ bigint[], "
                                "unfenced_ boolean, strict_ boolean, edge_ boolean, "
                                "release_ boolean",
                  .variables = "  one_ record;",
                  .body = std::string("  FOR one_ IN SELECT * FROM ") + unnested +
                          R"sql( ORDER BY place_ LOOP
    RETURN QUERY SELECT * FROM ack(era_, caller_, clock_, one_.id_, one_.token_, one_.attempt_,
      unfenced_, strict_, edge_, release_);
  END LOOP;)sql"});
}

// Requires: no job is named twice. Answers the places, from 1 on, of those that were done.
std::string ack_all_quickly() {
  return "UPDATE jobs SET " + acked() + " FROM " + present() + " m, " +
         given({"ids_ bytea[]", "tokens_ bytea[]", "attempts_s_ bigint[]", "unfenced_ boolean",
                "strict_ boolean", "edge_ boolean", "release_ boolean"}) +
         " g, LATERAL " + unnested + " WHERE id = " + brief("id_") + " AND " + held() +
         " RETURNING place_";
}

std::string settle_function() {
  const std::string settle = ", attempts = attempts_, settle_state = '', settle_run_at = NULL, ";
  return text_of({.name = "settle",
                  .parameters = hold_parameters() +
                                ", release_ boolean, kind_ text, attempts_ bigint, run_at_ bigint, "
                                "reason_ bytea, error_ bytea",
                  .body = "IF kind_ = 'retry' THEN\n" +
                          guarded(waiting("run_at_") + ", last_error = error_, retrying = true" +
                                      settle + settled("kind_"),
                                  "") +
                          "ELSE\n" +
                          guarded(buried("reason_", "error_") + settle + settled("kind_"), "") +
                          "END IF;"});
}

std::string nack_function() {
  return text_of(
      {.name = "nack",
       .parameters =
           hold_parameters() +
           ", release_ boolean, counter_ text, unrecoverable_ boolean, error_ bytea, "
           "hidden_ boolean, retries_ boolean, default_ bigint, window_ bigint, cap_ bigint, "
           "draw_ bigint",
       .variables = "  failure_ bigint;\n  dead_ boolean;\n  from_ bigint;",
       .body =
           "  id_ := " + brief("id_") + R"sql(;
  SELECT * INTO j FROM jobs WHERE id = id_ FOR UPDATE;
  IF NOT FOUND THEN
    verdict := 'missing';
    RETURN NEXT;
    RETURN;
  END IF;
  failure_ := j.attempts + CASE WHEN counter_ IN ('failures', 'retries') THEN 1 ELSE 0 END;
  dead_ := unrecoverable_ OR failure_ >= )sql" +
           runs_allowed("j.max_attempts") + R"sql(;
  IF dead_ THEN
    UPDATE jobs SET )sql" +
           buried(
               "CASE WHEN unrecoverable_ THEN 'unrecoverable'::bytea ELSE 'limit reached'::bytea "
               "END",
               "error_") +
           ", attempts = CASE counter_ WHEN 'failures' THEN failure_ ELSE attempts END, "
           "settle_state = 'dead', settle_run_at = NULL, " +
           settled("'nack'") + " WHERE id = id_ AND " + held() + R"sql( RETURNING * INTO j;
  ELSE
    from_ := )sql" +
           plus("now_ms", backoff("failure_", "j.seq")) + R"sql(;
    UPDATE jobs SET )sql" +
           waiting("from_") +
           ", attempts = attempts + CASE counter_ WHEN 'starts' THEN 0 ELSE 1 END, "
           "last_error = error_, retrying = true, settle_state = CASE WHEN from_ > now_ms "
           "AND NOT hidden_ THEN 'scheduled' ELSE 'ready' END, settle_run_at = from_, " +
           settled("'nack'") + " WHERE id = id_ AND " + held() + R"sql( RETURNING * INTO j;
  END IF;
  IF FOUND THEN
    verdict := 'done';
  ELSE
    SELECT * INTO j FROM jobs WHERE id = id_;
    verdict := 'refused';
  END IF;
  RETURN NEXT;
)sql"});
}

}  // namespace assay::pg
