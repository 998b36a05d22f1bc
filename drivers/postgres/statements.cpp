#include "drivers/postgres/statements.h"

#include <vector>

#include "drivers/postgres/detail/sql.h"

namespace assay {

// Functions, not constants: a catalogue may be read before main.

// Names and payloads are any bytes; ids and queues are kept as `brief` makes them, and in full
// beside that where they are long. `state` is w(aiting), l(eased), d(one), x (dead) or
// c(ancelled): scheduled and ready are told apart by time alone. A job can be claimed from its
// run_at on, or once leased from its expires_at on; `due` is the later of that and created_at, the
// order of claims. Where that is not the first of the two the job is backdated, which happens where
// clocks differ. `watch` is there where somebody looks for the job apart from its turn: b, waiting
// and backdated; c, leased and backdated; l, leased; d, listed as dead, since `due`. `rank` is the
// priority where it has an effect. `key_slot` is there while the job holds its key. Each partial
// index holds just the jobs that one kind of claim looks at, in the order in which it looks, so
// that done jobs, other queues, future jobs and a long backlog cost nothing; and they are few, as
// every claim and every settle writes to each that its job is in. What they leave behind in
// jobs_waiting lies before all that is waiting, and every claim walks over it until it is vacuumed
// away: so that happens often, however large the table. Of the records, a countdown has no value,
// and something remaining.
static std::string tables() {
  return R"sql(
CREATE TABLE meta (version integer NOT NULL, era bigint NOT NULL, offset_ms bigint NOT NULL);
CREATE TABLE paused (queue bytea PRIMARY KEY);
CREATE TABLE records (key bytea PRIMARY KEY, version bigint NOT NULL, remaining bigint, value bytea);
CREATE TABLE marks (key bytea, mark bytea, PRIMARY KEY (key, mark));
CREATE SEQUENCE seqs;
CREATE TABLE jobs (
  seq bigint NOT NULL,
  id bytea NOT NULL,
  long_id bytea,
  queue bytea NOT NULL,
  long_queue bytea,
  type bytea NOT NULL,
  state "char" NOT NULL,
  created_at bigint NOT NULL,
  given_run_at bigint,
  run_at bigint NOT NULL,
  due bigint NOT NULL,
  watch "char",
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
  payload bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 1);
CREATE UNIQUE INDEX jobs_by_id ON jobs (id);
CREATE UNIQUE INDEX jobs_by_key ON jobs (key_slot) WHERE key_slot IS NOT NULL;
CREATE INDEX jobs_by_age ON jobs (queue, created_at) WHERE state <> 'l';
CREATE INDEX jobs_waiting ON jobs (queue, rank DESC, due, seq) WHERE state = 'w';
CREATE INDEX jobs_watched ON jobs (queue, watch, due, seq) WHERE watch IS NOT NULL;
)sql";
}

static std::string shown(const std::string& hidden) {
  return "CASE j.state WHEN 'l' THEN 'leased' WHEN 'd' THEN 'done' WHEN 'x' THEN 'dead' WHEN 'c' "
         "THEN 'cancelled' ELSE CASE WHEN j.run_at > m.now_ms AND NOT (j.retrying AND " +
         hidden + ") THEN 'scheduled' ELSE 'ready' END END";
}

// A page of the queue $4 in the order of (`at`, id), behind the place ($5, $6), of jobs that are in
// any of the `parts`, each of which has its index.
static std::string page(const std::string& at, const std::vector<std::string>& parts,
                        const std::string& of, const std::string& limit) {
  const std::string id = "coalesce(j.long_id, j.id)";
  const std::string in_order = " ORDER BY j." + at + ", " + id;
  std::string jobs;
  for (const std::string& part : parts)
    jobs += (jobs.empty() ? "(SELECT * FROM jobs j WHERE j.queue = "
                          : " UNION ALL (SELECT * FROM jobs j WHERE j.queue = ") +
            pg::brief("$4::bytea") + " AND " + part + " AND j." + at + " >= $5::bigint AND (j." +
            at + " > $5 OR " + id + " > $6::bytea) AND " + of + in_order + " LIMIT " + limit +
            "::bigint)";
  return "SELECT '', m.now_ms, j.* FROM " + pg::present() +
         " m LEFT JOIN LATERAL (SELECT * FROM (" + jobs + ") j" + in_order + " LIMIT " + limit +
         ") j ON true" + in_order;
}

// One row where the namespace is there, whether anything changed or not.
static std::string pausing(const std::string& change) {
  return "WITH m AS (SELECT era FROM meta, pg_advisory_xact_lock(" + pg::pauses() +
         ") WHERE era = $1::bigint), p AS (" + change + ") SELECT era FROM m";
}

PostgresStatements postgres_statements() {
  PostgresStatements s;
  s.tables = tables();
  s.enqueue = pg::enqueue_function();
  s.enqueue_all = pg::enqueue_all_function();
  s.reserve = pg::reserve_function();
  s.extend = pg::extend_function();
  s.ack = pg::ack_function();
  s.ack_all = pg::ack_all_function();
  s.settle = pg::settle_function();
  s.nack = pg::nack_function();
  s.cancel = pg::cancel_function();
  s.requeue = pg::requeue_function();
  s.replay = pg::replay_function();
  s.quick_enqueue = pg::enqueue_quickly(pg::Now::by_store);
  s.quick_enqueue_by_caller = pg::enqueue_quickly(pg::Now::by_caller);
  s.quick_enqueue_all = pg::enqueue_all_quickly();
  s.quick_enqueue_alike_by_caller = pg::enqueue_alike_quickly();
  s.quick_reserve = pg::reserve_quickly(pg::Now::by_store);
  s.quick_reserve_by_caller = pg::reserve_quickly(pg::Now::by_caller);
  s.quick_reserve_many_by_caller = pg::reserve_many_quickly();
  s.quick_ack = pg::ack_quickly(pg::Now::by_store);
  s.quick_ack_by_caller = pg::ack_quickly(pg::Now::by_caller);
  s.quick_ack_all = pg::ack_all_quickly();
  s.pause = pausing("INSERT INTO paused SELECT " + pg::brief("$2::bytea") +
                    " FROM m ON CONFLICT DO NOTHING");
  s.resume = pausing("DELETE FROM paused WHERE queue = " + pg::brief("$2::bytea") +
                     " AND EXISTS (SELECT FROM m)");
  s.get = "SELECT '', m.now_ms, j.* FROM " + pg::present() +
          " m LEFT JOIN jobs j ON j.id = " + pg::brief("$4::bytea");
  s.list = page("created_at", {"j.state <> 'l'", "j.watch = ANY('{l,c}')"},
                "($7::text IS NULL OR $7 = " + shown("$8::boolean") + ")", "$9");
  s.commit = pg::commit_function();
  s.record = pg::find_record();
  s.scan = pg::scan_records();
  s.dead = page("due", {"j.watch = 'd'"}, "true", "$7");
  return s;
}

}  // namespace assay
