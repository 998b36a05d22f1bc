// Claims.
#include "drivers/postgres/detail/sql.h"

namespace assay::pg {

// A lost lease counts against the budget: as an attempt where attempts are numbered, in a counter
// of its own elsewhere, which the engine's counter knows nothing of. At most a thousand a call, so
// that no claim pays for the death of a whole fleet.
static std::string sweep() {
  return R"sql(
  IF sweep_ AND (lapsed_ OR backdated_) THEN
    picked_ := ARRAY(SELECT ctid FROM jobs WHERE queue = ANY(open_) AND watch = ANY('{l,c}')
        AND due <= dead_by_ AND (id_ IS NULL OR id = id_) LIMIT 1000 FOR UPDATE SKIP LOCKED)
      || ARRAY(SELECT ctid FROM jobs WHERE backdated_ AND queue = ANY(open_) AND watch = 'c'
        AND due > dead_by_ AND expires_at <= dead_by_ AND (id_ IS NULL OR id = id_) LIMIT 1000
        FOR UPDATE SKIP LOCKED);
    IF picked_ <> '{}' THEN
      FOR j IN SELECT * FROM jobs WHERE ctid = ANY(picked_) ORDER BY seq LOOP
        losses_ := j.lease_losses + CASE WHEN numbered_ THEN 0 ELSE 1 END;
        used_ := CASE WHEN numbered_ THEN j.attempts ELSE losses_ END;
        IF counts_ AND used_ >= )sql" +
         runs_allowed("j.max_attempts") + R"sql( THEN
          UPDATE jobs SET )sql" +
         buried("'lease expired'", "'lease expired'") + ", lease_losses = losses_, " + no_lease() +
         R"sql( WHERE id = j.id;
        ELSE
          from_ := CASE WHEN waits_ THEN )sql" +
         plus("now_ms", backoff("used_", "j.seq")) + R"sql( ELSE j.expires_at END;
          UPDATE jobs SET )sql" +
         waiting("from_") +
         ", attempts = attempts + CASE WHEN numbered_ THEN 1 ELSE 0 END, lease_losses = losses_, "
         "retrying = waits_, last_error = CASE WHEN numbered_ THEN 'lease expired' ELSE last_error "
         "END, " +
         no_lease() + R"sql( WHERE id = j.id;
        END IF;
      END LOOP;
    END IF;
    j := NULL;
    picked_ := '{}';
  END IF;
  lapsed_ := lapsed_ AND NOT sweep_;
)sql";
}

// Claims are locked in the order of the queue and only if they are taken, so that nobody misses a
// job because of somebody who does not take it. They are changed in a statement of its own: its
// snapshot sees the very rows that the one before has locked.
static std::string pick() {
  const std::string waiting_head =
      "state = 'w' AND rank = rank_ AND due <= now_ms AND ctid <> ALL(picked_)";
  const std::string lapsed_head = "due <= dead_by_ AND rank = rank_ AND ctid <> ALL(picked_)";
  return R"sql(
  rank_ := 0;
  LOOP
    IF ranked_ THEN
      rank_ := NULL;
      IF lapsed_ OR backdated_ OR cardinality(open_) > 1 THEN
        SELECT max(rank) INTO rank_ FROM (
          SELECT w.rank FROM unnest(open_) q, LATERAL (SELECT rank FROM jobs WHERE queue = q
            AND state = 'w' AND rank <= at_most_ ORDER BY rank DESC LIMIT 1) w
          UNION ALL SELECT rank FROM jobs WHERE lapsed_ AND queue = ANY(open_) AND watch = ANY('{l,c}')
            AND due <= dead_by_ AND rank <= at_most_
          UNION ALL SELECT rank FROM jobs WHERE backdated_ AND queue = ANY(open_) AND watch = ANY('{b,c}')
            AND due > dead_by_ AND rank <= at_most_) ranks;
      ELSE
        SELECT rank INTO rank_ FROM jobs WHERE queue = open_[1] AND state = 'w'
          AND rank <= at_most_ ORDER BY rank DESC LIMIT 1;
      END IF;
      EXIT WHEN rank_ IS NULL;
    END IF;
    IF NOT lapsed_ AND cardinality(open_) = 1 THEN
      picked_ := picked_ || ARRAY(SELECT ctid FROM jobs WHERE queue = open_[1] AND state = 'w'
        AND rank = rank_ AND due <= now_ms ORDER BY due, seq LIMIT max_ - cardinality(picked_)
        FOR UPDATE SKIP LOCKED);
    ELSE
      WHILE cardinality(picked_) < max_ LOOP
        one_ := '{}';
        FOR queue_, kind_ IN SELECT q, kind FROM (
          SELECT q, 'w'::"char" AS kind, h.due, h.seq FROM unnest(open_) q, LATERAL (SELECT due, seq
            FROM jobs WHERE queue = q AND )sql" +
         waiting_head + R"sql( ORDER BY due, seq LIMIT 1) h
          UNION ALL
          SELECT q, k, h.due, h.seq FROM unnest(open_) q, unnest('{l,c}'::"char"[]) k,
            LATERAL (SELECT due, seq FROM jobs WHERE lapsed_ AND queue = q AND watch = k AND )sql" +
         lapsed_head + R"sql( ORDER BY due, seq LIMIT 1) h
        ) heads ORDER BY due, seq LOOP
          IF kind_ = 'w' THEN
            one_ := ARRAY(SELECT ctid FROM jobs WHERE queue = queue_ AND )sql" +
         waiting_head + R"sql( ORDER BY due, seq LIMIT 1 FOR UPDATE SKIP LOCKED);
          ELSE
            one_ := ARRAY(SELECT ctid FROM jobs WHERE queue = queue_ AND watch = kind_ AND )sql" +
         lapsed_head + R"sql( ORDER BY due, seq LIMIT 1 FOR UPDATE SKIP LOCKED);
          END IF;
          EXIT WHEN one_ <> '{}';
        END LOOP;
        EXIT WHEN one_ = '{}';
        picked_ := picked_ || one_;
      END LOOP;
    END IF;
    IF backdated_ THEN
      picked_ := picked_ || ARRAY(SELECT ctid FROM jobs WHERE queue = ANY(open_) AND watch = ANY('{b,c}')
        AND due > dead_by_ AND rank = rank_ AND ctid <> ALL(picked_)
        AND CASE WHEN expires_at IS NULL THEN due > now_ms AND run_at <= now_ms
          ELSE NOT sweep_ AND expires_at <= dead_by_ END
        ORDER BY due, seq LIMIT max_ - cardinality(picked_) FOR UPDATE SKIP LOCKED);
    END IF;
    EXIT WHEN NOT ranked_ OR cardinality(picked_) >= max_ OR rank_ = -9223372036854775808;
    at_most_ := rank_ - 1;
  END LOOP;
)sql";
}

// What a claim makes of a job. Needs until_ and the knobs of `reserve`.
static std::string claimed() {
  return "state = 'l', version = version + 1, token = convert_to('lease-' || seq || '-' || "
         "version + 1 || '-' || hex_, 'UTF8'), run_at = CASE state WHEN 'l' THEN expires_at ELSE "
         "run_at END, " +
         leased_until("until_") +
         ", worker = worker_, retrying = false, attempts = attempts + CASE WHEN "
         "starts_ THEN 1 ELSE 0 END, attempt = CASE numbering_ WHEN 'attempts' THEN attempts WHEN "
         "'claims' THEN version + 1 END, " +
         no_settle();
}

std::string reserve_function() {
  return text_of(
      {.name = "reserve",
       .parameters =
           ", queues_ bytea[], lease_ bigint, worker_ bytea, max_ bigint, id_ bytea, hex_ text, "
           "ranked_ boolean, edge_ boolean, sweep_ boolean, counts_ boolean, numbered_ boolean, "
           "waits_ boolean, release_ boolean, retries_ boolean, default_ bigint, window_ bigint, "
           "cap_ bigint, draw_ bigint, starts_ boolean, numbering_ text",
       .variables =
           "  open_ bytea[];\n  picked_ tid[] := '{}';\n  one_ tid[];\n  rank_ bigint;\n"
           "  at_most_ bigint := 9223372036854775807;\n  queue_ bytea;\n  kind_ \"char\";\n"
           "  lapsed_ boolean;\n  backdated_ boolean;\n  losses_ bigint;\n  used_ bigint;\n"
           "  from_ bigint;\n  dead_by_ bigint;\n  until_ bigint;",
       // Each statement of a function sees what was committed before it: a claim that looked for
       // pauses could find a job that came after one. So no pause is made while it looks.
       .body =
           "  PERFORM pg_advisory_xact_lock_shared(" + pauses() + ");\n  dead_by_ := " + dead_by() +
           ";\n  until_ := " + plus("now_ms", "lease_") + ";\n  id_ := " + brief("id_") +
           ";\n  open_ := ARRAY(SELECT b FROM (SELECT " + brief("q") +
           R"sql( AS b FROM unnest(queues_) q) all_ WHERE b NOT IN (SELECT queue FROM paused));
  IF open_ = '{}' THEN RETURN; END IF;
  SELECT EXISTS (SELECT FROM jobs WHERE queue = ANY(open_) AND watch = ANY('{l,c}')
      AND due <= dead_by_),
    caller_ IS NOT NULL AND EXISTS (SELECT FROM jobs WHERE queue = ANY(open_)
      AND watch = ANY('{b,c}') AND due > dead_by_) INTO lapsed_, backdated_;
)sql" + sweep() +
           R"sql(
  IF id_ IS NOT NULL THEN
    picked_ := ARRAY(SELECT ctid FROM jobs WHERE id = id_ AND queue = ANY(open_)
      AND ((state = 'w' AND run_at <= now_ms)
        OR (state = 'l' AND NOT sweep_ AND expires_at <= dead_by_)) FOR UPDATE);
  ELSE
)sql" + pick() +
           R"sql(
  END IF;
  IF picked_ = '{}' THEN RETURN; END IF;
  RETURN QUERY UPDATE jobs SET )sql" +
           claimed() + " WHERE ctid = ANY(picked_) RETURNING 'claimed', reserve.now_ms, jobs;"});
}

// What most claims come to: the first job of one queue, of the rank that the claim before had. It
// finds nothing where there is anything to look closer at: a pause, a higher rank, a lapsed lease,
// clocks that differ. A row that changed under its eyes is not found either.
static std::string picked_quickly(const std::string& if_there, const std::string& now,
                                  const std::string& late, const std::string& dead_by,
                                  const std::string& most) {
  return "SELECT ctid FROM jobs WHERE queue = $4 AND state = 'w' AND rank = $5 AND due <= " + now +
         " AND " + if_there + R"sql(
    AND NOT EXISTS (SELECT FROM jobs WHERE queue = $4 AND state = 'w' AND rank > $5)
    AND NOT EXISTS (SELECT FROM jobs WHERE queue = $4 AND watch = 'l' AND due <= )sql" +
         dead_by + R"sql()
    AND NOT EXISTS (SELECT FROM jobs WHERE queue = $4 AND watch >= 'b' AND watch <= 'c'
      AND (watch, due) > ('b', )sql" +
         late + R"sql())
    ORDER BY due, seq LIMIT )sql" +
         most + " FOR UPDATE SKIP LOCKED";
}

static std::string shown_quickly() {
  return " RETURNING seq, rank, id, long_id, type, run_at, max_attempts, timeout_ms, key, "
         "priority, attempts, last_error, created_at, token, attempt, expires_at, version, payload";
}

static std::string taken_quickly(const std::string& if_there, const std::string& now,
                                 const std::string& late, const std::string& dead_by) {
  return "jobs.ctid = ANY(ARRAY(" + picked_quickly(if_there, now, late, dead_by, "1") + "))" +
         shown_quickly();
}

std::string reserve_quickly(Now now) {
  if (now == Now::by_caller)
    return "UPDATE jobs SET " + claimed() + " FROM " + present(now) + " n, " +
           given({"queue_ bytea", "rank_ bigint", "until_ bigint", "worker_ bytea", "hex_ text",
                  "dead_by_ bigint", "starts_ boolean", "numbering_ text"}) +
           " g WHERE " +
           taken_quickly(is_there() + " AND NOT EXISTS (SELECT FROM paused)", "$2", "$9", "$9");
  return "WITH m AS MATERIALIZED (SELECT *, " + plus("now_ms", "lease_") + " AS until_, " +
         dead_by() + " AS dead_by_ FROM " + present(now) + " n, " +
         given({"queue_ bytea", "rank_ bigint", "lease_ bigint", "worker_ bytea", "hex_ text",
                "edge_ boolean", "starts_ boolean", "numbering_ text"}) +
         " g) UPDATE jobs SET " + claimed() + " FROM m WHERE " +
         taken_quickly("NOT EXISTS (SELECT FROM paused)", "(SELECT now_ms FROM m)",
                       "9223372036854775807", "(SELECT dead_by_ FROM m)");
}

// $12 of them, by the caller's clock. None where there are not so many: those of lower rank may
// have to make up for it.
std::string reserve_many_quickly() {
  return "WITH picked AS MATERIALIZED (" +
         picked_quickly(is_there() + " AND NOT EXISTS (SELECT FROM paused)", "$2", "$9", "$9",
                        "$12::bigint") +
         ") UPDATE jobs SET " + claimed() + " FROM " + present(Now::by_caller) + " n, " +
         given({"queue_ bytea", "rank_ bigint", "until_ bigint", "worker_ bytea", "hex_ text",
                "dead_by_ bigint", "starts_ boolean", "numbering_ text"}) +
         " g WHERE jobs.ctid = ANY(ARRAY(SELECT ctid FROM picked)) AND (SELECT count(*) FROM "
         "picked) = $12" +
         shown_quickly();
}

}  // namespace assay::pg
