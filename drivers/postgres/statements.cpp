#include "drivers/postgres/statements.h"

namespace assay {

// Functions, not constants: a catalogue may be read before main.

// Names and payloads are any bytes. `state` is w(aiting), l(eased), d(one), x (dead) or
// c(ancelled): scheduled and ready are told apart by time alone. A job can be claimed from its
// run_at on, or once leased from its expires_at on; `due` is the later of that and created_at, the
// order of claims; `backdated` says that it is not the first of the two, which happens where clocks
// differ. `rank` is the priority where it has an effect. `key_slot` is there while the job holds
// its key. Each partial index holds just the jobs that one kind of claim looks at, in the order in
// which it looks, so that done jobs, other queues, future jobs and a long backlog cost nothing.
static std::string tables() {
  return R"sql(
CREATE TABLE meta (version integer NOT NULL, era bigint NOT NULL, offset_ms bigint NOT NULL);
CREATE TABLE paused (queue bytea PRIMARY KEY);
CREATE SEQUENCE seqs;
CREATE TABLE jobs (
  seq bigint NOT NULL,
  id bytea NOT NULL,
  queue bytea NOT NULL,
  type bytea NOT NULL,
  state "char" NOT NULL,
  created_at bigint NOT NULL,
  given_run_at bigint,
  run_at bigint NOT NULL,
  due bigint NOT NULL,
  backdated boolean NOT NULL,
  rank bigint NOT NULL,
  priority bigint NOT NULL,
  max_attempts bigint,
  timeout_ms bigint,
  key bytea,
  key_slot bytea,
  attempts bigint NOT NULL,
  lease_losses bigint NOT NULL DEFAULT 0,
  retrying boolean NOT NULL DEFAULT false,
  last_error bytea,
  token bytea,
  attempt bigint,
  version bigint NOT NULL DEFAULT 0,
  expires_at bigint,
  worker bytea,
  settle_kind text,
  settle_token bytea,
  settle_attempt bigint,
  settle_state text,
  settle_run_at bigint,
  dead_reason bytea,
  dead_error bytea,
  dead_at bigint,
  dead_listed boolean NOT NULL DEFAULT false,
  payload bytea NOT NULL
);
CREATE UNIQUE INDEX jobs_by_id ON jobs (id);
CREATE UNIQUE INDEX jobs_by_key ON jobs (key_slot) WHERE key_slot IS NOT NULL;
CREATE INDEX jobs_by_age ON jobs (queue, created_at, id);
CREATE INDEX jobs_waiting ON jobs (queue, rank DESC, due, seq) WHERE state = 'w';
CREATE INDEX jobs_leased ON jobs (queue, due, seq) WHERE state = 'l';
CREATE INDEX jobs_backdated ON jobs (queue, due) WHERE backdated;
CREATE INDEX jobs_dead ON jobs (queue, dead_at, id) WHERE dead_listed;
)sql";
}

// A function of the schema. Every one begins by asking for the present: the caller's, or the
// store's, which is `clock_` (the server's own clock where there is none) plus the namespace's
// offset. A session of a namespace that was made anew meanwhile is turned away.
static std::string function(const std::string& name, const std::string& parameters,
                            const std::string& variables, const std::string& body,
                            const std::string& asked = "", const std::string& into = "") {
  return "CREATE FUNCTION " + name + "(era_ bigint, caller_ bigint, clock_ bigint" + parameters +
         ")\nRETURNS TABLE (verdict text, now_ms bigint, j jobs) LANGUAGE plpgsql AS $f$\n" +
         "#variable_conflict use_column\nDECLARE\n" + variables + R"sql(
BEGIN
  SELECT coalesce(caller_, coalesce(clock_, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    + offset_ms))sql" +
         asked + " INTO now_ms" + into + R"sql( FROM meta WHERE era = era_;
  IF NOT FOUND THEN RAISE EXCEPTION 'the namespace is gone' USING ERRCODE = '3F000'; END IF;
)sql" + body +
         "\nEND $f$;\n";
}

// Stops at the largest number.
static std::string plus(const std::string& at, const std::string& length) {
  return "least(9223372036854775807::numeric, " + at + "::numeric + " + length + ")::bigint";
}

static std::string no_lease() {
  return "token = NULL, attempt = NULL, expires_at = NULL, worker = NULL";
}
static std::string no_settle() {
  return "settle_kind = NULL, settle_token = NULL, settle_attempt = NULL, settle_state = NULL, "
         "settle_run_at = NULL";
}

// Waiting from `run_at` on.
static std::string waiting(const std::string& run_at) {
  return "state = 'w', run_at = " + run_at + ", due = greatest(created_at, " + run_at +
         "), backdated = created_at > " + run_at;
}

// Ended. Where keys are for active jobs only, it gives its key back.
static std::string ended(const std::string& state) {
  return "state = '" + state +
         "', backdated = false, key_slot = CASE WHEN release_ THEN NULL ELSE key_slot END";
}

static std::string buried(const std::string& reason, const std::string& error) {
  return ended("x") + ", dead_reason = " + reason + ", dead_error = " + error +
         ", dead_at = now_ms, dead_listed = true, last_error = " + error;
}

// A lease is dead when it expires at this instant or before.
static std::string dead_by() { return "(now_ms - CASE WHEN edge_ THEN 0 ELSE 1 END)"; }

static std::string held() {
  return "state = 'l' AND (NOT strict_ OR expires_at > " + dead_by() +
         ") AND (unfenced_ OR (token = token_ AND attempt IS NOT DISTINCT FROM attempt_))";
}
static std::string hold_parameters() {
  return ", id_ bytea, token_ bytea, attempt_ bigint, unfenced_ boolean, strict_ boolean, "
         "edge_ boolean";
}

static std::string settled(const std::string& kind) {
  return no_lease() + ", settle_kind = " + kind +
         ", settle_token = token_, settle_attempt = attempt_";
}

static std::string runs_allowed(const std::string& limit) {
  const std::string stated = "(CASE WHEN " + limit + " > 0 THEN " + limit + " ELSE default_ END)";
  return "(CASE WHEN retries_ THEN least(" + stated + ", 9223372036854775806) + 1 ELSE greatest(" +
         stated + ", 1) END)";
}

// Full jitter: anything up to a window that doubles with each failure. Drawn from the call's own
// number, so that the same seed gives the same answer.
static std::string backoff(const std::string& failure, const std::string& job) {
  const std::string window = "least(greatest(cap_, 0)::numeric, greatest(window_, 0)::numeric * " +
                             std::string("power(2::numeric, least(greatest(") + failure +
                             " - 1, 0), 62)))::bigint";
  return "(abs(hashint8extended(" + job + ", draw_) / 2) % (" + window + " + 1))";
}

static std::string slot(const std::string& from) {
  return "sha256(CASE scope_ WHEN 'queue' THEN int4send(length(" + from + "queue)) || " + from +
         "queue || " + from + "key WHEN 'type' THEN int4send(length(" + from + "type)) || " + from +
         "type || " + from + "key ELSE " + from + "key END)";
}

static std::string made_id() { return "convert_to('job-' || seq_ || '-' || hex_, 'UTF8')"; }

// Inserted first and looked up only where that meets another job: most enqueues meet none. A key or
// an id that somebody else is just inserting is waited for.
static std::string enqueue() {
  const std::string queue_or_type =
      "CASE scope_ WHEN 'queue' THEN int4send(length(queue_)) || queue_ || key_ WHEN 'type' THEN "
      "int4send(length(type_)) || type_ || key_ ELSE key_ END";
  return function(
      "enqueue",
      ", id_ bytea, queue_ bytea, type_ bytea, payload_ bytea, run_at_ bigint, "
      "max_attempts_ bigint, timeout_ bigint, key_ bytea, priority_ bigint, rank_ bigint, "
      "attempts_ bigint, hex_ text, keyed_ boolean, scope_ text, schedules_ boolean",
      "  seq_ bigint;\n  slot_ bytea;",
      R"sql(
  IF run_at_ > now_ms AND NOT schedules_ THEN
    verdict := 'unscheduled';
    RETURN NEXT;
    RETURN;
  END IF;
  IF key_ IS NOT NULL AND keyed_ THEN slot_ := sha256()sql" +
          queue_or_type + R"sql(); END IF;
  FOR tries_ IN 1..100 LOOP
    seq_ := nextval('seqs');
    INSERT INTO jobs (seq, id, queue, type, state, created_at, given_run_at, run_at, due, backdated,
      rank, priority, max_attempts, timeout_ms, key, key_slot, attempts, payload)
    VALUES (seq_, coalesce(id_, )sql" +
          made_id() +
          R"sql(), queue_, type_, 'w', now_ms, run_at_,
      coalesce(run_at_, now_ms), greatest(run_at_, now_ms), coalesce(run_at_ < now_ms, false), rank_,
      priority_, max_attempts_, timeout_, key_, slot_, attempts_, payload_)
    ON CONFLICT DO NOTHING RETURNING id INTO j.id;
    IF FOUND THEN
      verdict := 'made';
      RETURN NEXT;
      RETURN;
    END IF;
    IF slot_ IS NOT NULL THEN
      SELECT id INTO j.id FROM jobs WHERE key_slot = slot_;
      IF FOUND THEN
        verdict := 'key';
        RETURN NEXT;
        RETURN;
      END IF;
    END IF;
    IF id_ IS NOT NULL THEN
      SELECT * INTO j FROM jobs WHERE id = id_;
      IF FOUND THEN
        verdict := 'id';
        RETURN NEXT;
        RETURN;
      END IF;
    END IF;
  END LOOP;
  RAISE EXCEPTION 'somebody makes and removes the same job all the time' USING ERRCODE = '40001';
)sql");
}

// A lost lease counts against the budget: as an attempt where attempts are numbered, in a counter
// of its own elsewhere, which the engine's counter knows nothing of. At most a thousand a call, so
// that no claim pays for the death of a whole fleet.
static std::string sweep() {
  return R"sql(
  IF sweep_ AND (lapsed_ OR backdated_) THEN
    picked_ := ARRAY(SELECT ctid FROM jobs WHERE queue = ANY(open_) AND state = 'l'
        AND due <= dead_by_ AND (id_ IS NULL OR id = id_) LIMIT 1000 FOR UPDATE SKIP LOCKED)
      || ARRAY(SELECT ctid FROM jobs WHERE backdated_ AND queue = ANY(open_) AND backdated
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
  const std::string lapsed_head =
      "state = 'l' AND due <= dead_by_ AND rank = rank_ AND ctid <> ALL(picked_)";
  return R"sql(
  rank_ := 0;
  LOOP
    IF ranked_ THEN
      rank_ := NULL;
      IF lapsed_ OR backdated_ OR cardinality(open_) > 1 THEN
        SELECT max(rank) INTO rank_ FROM (
          SELECT w.rank FROM unnest(open_) q, LATERAL (SELECT rank FROM jobs WHERE queue = q
            AND state = 'w' AND rank <= at_most_ ORDER BY rank DESC LIMIT 1) w
          UNION ALL SELECT rank FROM jobs WHERE lapsed_ AND queue = ANY(open_) AND state = 'l'
            AND due <= dead_by_ AND rank <= at_most_
          UNION ALL SELECT rank FROM jobs WHERE backdated_ AND queue = ANY(open_) AND backdated
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
        FOR queue_, leased_ IN SELECT q, leased FROM (
          SELECT q, false AS leased, h.due, h.seq FROM unnest(open_) q, LATERAL (SELECT due, seq
            FROM jobs WHERE queue = q AND )sql" +
         waiting_head + R"sql( ORDER BY due, seq LIMIT 1) h
          UNION ALL
          SELECT q, true, h.due, h.seq FROM unnest(open_) q, LATERAL (SELECT due, seq
            FROM jobs WHERE lapsed_ AND queue = q AND )sql" +
         lapsed_head + R"sql( ORDER BY due, seq LIMIT 1) h
        ) heads ORDER BY due, seq LOOP
          IF leased_ THEN
            one_ := ARRAY(SELECT ctid FROM jobs WHERE queue = queue_ AND )sql" +
         lapsed_head + R"sql( ORDER BY due, seq LIMIT 1 FOR UPDATE SKIP LOCKED);
          ELSE
            one_ := ARRAY(SELECT ctid FROM jobs WHERE queue = queue_ AND )sql" +
         waiting_head + R"sql( ORDER BY due, seq LIMIT 1 FOR UPDATE SKIP LOCKED);
          END IF;
          EXIT WHEN one_ <> '{}';
        END LOOP;
        EXIT WHEN one_ = '{}';
        picked_ := picked_ || one_;
      END LOOP;
    END IF;
    IF backdated_ THEN
      picked_ := picked_ || ARRAY(SELECT ctid FROM jobs WHERE queue = ANY(open_) AND backdated
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

static std::string reserve() {
  return function(
      "reserve",
      ", queues_ bytea[], lease_ bigint, worker_ bytea, max_ bigint, id_ bytea, hex_ text, "
      "ranked_ boolean, edge_ boolean, sweep_ boolean, counts_ boolean, numbered_ boolean, "
      "waits_ boolean, release_ boolean, retries_ boolean, default_ bigint, window_ bigint, "
      "cap_ bigint, draw_ bigint, starts_ boolean, numbering_ text",
      "  open_ bytea[];\n  picked_ tid[] := '{}';\n  one_ tid[];\n  rank_ bigint;\n"
      "  at_most_ bigint := 9223372036854775807;\n  queue_ bytea;\n  leased_ boolean;\n  lapsed_ "
      "boolean;\n"
      "  backdated_ boolean;\n  pauses_ boolean;\n  losses_ bigint;\n  used_ bigint;\n  from_ "
      "bigint;\n"
      "  dead_by_ bigint;\n  until_ bigint;",
      "  dead_by_ := " + dead_by() + ";\n  until_ := " + plus("now_ms", "lease_") + R"sql(;
  open_ := queues_;
  IF pauses_ THEN
    open_ := ARRAY(SELECT q FROM unnest(queues_) q WHERE q NOT IN (SELECT queue FROM paused));
    IF open_ = '{}' THEN RETURN; END IF;
  END IF;
  SELECT EXISTS (SELECT FROM jobs WHERE queue = ANY(open_) AND state = 'l' AND due <= dead_by_),
    caller_ IS NOT NULL AND EXISTS (SELECT FROM jobs WHERE queue = ANY(open_) AND backdated
      AND due > dead_by_) INTO lapsed_, backdated_;
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
  RETURN QUERY UPDATE jobs SET state = 'l', version = version + 1,
    token = convert_to('lease-' || seq || '-' || version + 1 || '-' || hex_, 'UTF8'),
    run_at = CASE state WHEN 'l' THEN expires_at ELSE run_at END, expires_at = until_,
    due = greatest(created_at, until_), backdated = created_at > until_, worker = worker_,
    retrying = false, attempts = attempts + CASE WHEN starts_ THEN 1 ELSE 0 END,
    attempt = CASE numbering_ WHEN 'attempts' THEN attempts WHEN 'claims' THEN version + 1 END,
    )sql" +
          no_settle() + " WHERE ctid = ANY(picked_) RETURNING 'claimed', reserve.now_ms, jobs;",
      ", EXISTS (SELECT FROM paused)", ", pauses_");
}

// Changes the job that `held` lets change; else shows what there is.
static std::string guarded(const std::string& change, const std::string& returning) {
  return "  UPDATE jobs SET " + change + " WHERE id = id_ AND " + held() + returning + R"sql(;
  IF FOUND THEN
    verdict := 'done';
  ELSE
    SELECT * INTO j FROM jobs WHERE id = id_;
    verdict := CASE WHEN FOUND THEN 'refused' ELSE 'missing' END;
  END IF;
  RETURN NEXT;
)sql";
}

static std::string extend() {
  const std::string until = "greatest(expires_at, " + plus("now_ms", "lease_") + ")";
  return function("extend", hold_parameters() + ", lease_ bigint", "",
                  guarded("expires_at = " + until + ", due = greatest(created_at, " + until +
                              "), backdated = created_at > " + until,
                          " RETURNING expires_at INTO j.expires_at"));
}

static std::string ack() {
  return function(
      "ack", hold_parameters() + ", release_ boolean", "",
      guarded(ended("d") + ", settle_state = '', settle_run_at = NULL, " + settled("'ack'"), ""));
}

static std::string settle() {
  return function("settle",
                  hold_parameters() +
                      ", release_ boolean, kind_ text, attempts_ bigint, run_at_ bigint, "
                      "reason_ bytea, error_ bytea",
                  "",
                  "IF kind_ = 'retry' THEN\n" +
                      guarded(waiting("run_at_") +
                                  ", attempts = attempts_, last_error = error_, retrying = true, "
                                  "settle_state = '', settle_run_at = NULL, " +
                                  settled("kind_"),
                              "") +
                      "ELSE\n" +
                      guarded(buried("reason_", "error_") +
                                  ", attempts = attempts_, settle_state = '', "
                                  "settle_run_at = NULL, " +
                                  settled("kind_"),
                              "") +
                      "END IF;");
}

static std::string nack() {
  return function(
      "nack",
      hold_parameters() +
          ", release_ boolean, counter_ text, unrecoverable_ boolean, error_ bytea, "
          "hidden_ boolean, retries_ boolean, default_ bigint, window_ bigint, cap_ bigint, "
          "draw_ bigint",
      "  failure_ bigint;\n  dead_ boolean;\n  from_ bigint;",
      R"sql(
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
          buried("CASE WHEN unrecoverable_ THEN 'unrecoverable'::bytea ELSE 'limit reached'::bytea "
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
)sql");
}

static std::string cancel() {
  return function("cancel", ", id_ bytea, release_ boolean", "",
                  "  UPDATE jobs SET " + ended("c") + ", " + no_lease() +
                      R"sql( WHERE id = id_ AND state IN ('w', 'l');
  IF FOUND THEN
    verdict := 'done';
  ELSE
    SELECT * INTO j FROM jobs WHERE id = id_;
    verdict := CASE WHEN FOUND THEN 'refused' ELSE 'missing' END;
  END IF;
  RETURN NEXT;
)sql");
}

// The job, locked, unless something forbids its return to the living.
static std::string requeueing(const std::string& body) {
  return R"sql(
  SELECT * INTO j FROM jobs WHERE id = id_ FOR UPDATE;
  IF NOT FOUND THEN
    verdict := 'missing';
  ELSIF fresh_ AND j.state = 'x' AND NOT j.dead_listed THEN
    verdict := 'replayed';
  ELSIF j.state <> 'x' THEN
    verdict := 'refused';
  ELSIF release_ AND EXISTS (SELECT FROM jobs WHERE key_slot = )sql" +
         slot("j.") + R"sql() THEN
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

static std::string requeue() {
  return function(
      "requeue", requeue_parameters() + ", attempts_ bigint",
      "  fresh_ boolean := false;\n  from_ bigint;",
      "  from_ := coalesce(run_at_, now_ms);\n" +
          requeueing(
              "      UPDATE jobs SET " + waiting("from_") +
              ", key_slot = CASE WHEN release_ THEN " + slot("jobs.") + " ELSE key_slot END, " +
              "attempts = coalesce(attempts_, attempts), lease_losses = CASE WHEN attempts_ IS "
              "NULL THEN lease_losses ELSE 0 END, retrying = false, dead_reason = NULL, "
              "dead_error = NULL, dead_at = NULL, dead_listed = false, " +
              no_settle() + " WHERE id = id_;"));
}

// The new job takes the key over.
static std::string replay() {
  return function(
      "replay", requeue_parameters() + ", attempts_ bigint, hex_ text",
      "  fresh_ boolean := true;\n  seq_ bigint;\n  made_ bytea;",
      requeueing("      UPDATE jobs SET dead_listed = false, key_slot = NULL, " + no_settle() +
                 R"sql( WHERE id = id_;
      LOOP
        seq_ := nextval('seqs');
        made_ := )sql" +
                 made_id() + R"sql(;
        EXIT WHEN NOT EXISTS (SELECT FROM jobs WHERE id = made_);
      END LOOP;
      INSERT INTO jobs (seq, id, queue, type, state, created_at, given_run_at, run_at, due,
        backdated, rank, priority, max_attempts, timeout_ms, key, key_slot, attempts, payload)
      VALUES (seq_, made_, j.queue, j.type, 'w', now_ms, run_at_, coalesce(run_at_, now_ms),
        greatest(run_at_, now_ms), coalesce(run_at_ < now_ms, false), j.rank, j.priority,
        j.max_attempts, j.timeout_ms, j.key, CASE WHEN keyed_ THEN )sql" +
                 slot("j.") + R"sql( END, attempts_, j.payload);
      j.id := made_;)sql"));
}

// Reads answer one row at least, the present, unless the namespace is gone.
static std::string present() {
  return "(SELECT coalesce($2::bigint, coalesce($3::bigint, "
         "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) + offset_ms) AS now_ms "
         "FROM meta WHERE era = $1::bigint) m";
}

static std::string shown(const std::string& hidden) {
  return "CASE j.state WHEN 'l' THEN 'leased' WHEN 'd' THEN 'done' WHEN 'x' THEN 'dead' WHEN 'c' "
         "THEN 'cancelled' ELSE CASE WHEN j.run_at > m.now_ms AND NOT (j.retrying AND " +
         hidden + ") THEN 'scheduled' ELSE 'ready' END END";
}

PostgresStatements postgres_statements() {
  PostgresStatements s;
  s.tables = tables();
  s.enqueue = enqueue();
  s.reserve = reserve();
  s.extend = extend();
  s.ack = ack();
  s.settle = settle();
  s.nack = nack();
  s.cancel = cancel();
  s.requeue = requeue();
  s.replay = replay();
  s.pause =
      "WITH m AS (SELECT FROM meta WHERE era = $1::bigint), p AS (INSERT INTO paused "
      "SELECT $2::bytea FROM m ON CONFLICT DO NOTHING) SELECT FROM m";
  s.resume =
      "WITH m AS (SELECT FROM meta WHERE era = $1::bigint), p AS (DELETE FROM paused "
      "WHERE queue = $2::bytea AND EXISTS (SELECT FROM m)) SELECT FROM m";
  s.get = "SELECT '', m.now_ms, j.* FROM " + present() + " LEFT JOIN jobs j ON j.id = $4::bytea";
  s.list = "SELECT '', m.now_ms, j.* FROM " + present() +
           " LEFT JOIN LATERAL (SELECT * FROM jobs j WHERE j.queue = $4::bytea "
           "AND (j.created_at, j.id) > ($5::bigint, $6::bytea) AND ($7::text IS NULL OR $7 = " +
           shown("$8::boolean") + ") ORDER BY j.created_at, j.id LIMIT $9::bigint) j ON true " +
           "ORDER BY j.created_at, j.id";
  s.dead = "SELECT '', m.now_ms, j.* FROM " + present() +
           " LEFT JOIN LATERAL (SELECT * FROM jobs j WHERE j.queue = $4::bytea AND j.dead_listed "
           "AND (j.dead_at, j.id) > ($5::bigint, $6::bytea) ORDER BY j.dead_at, j.id "
           "LIMIT $7::bigint) j ON true ORDER BY j.dead_at, j.id";
  return s;
}

}  // namespace assay
