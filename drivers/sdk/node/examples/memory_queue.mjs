// A queue in memory, as a driver for Assay: the `reference` contract by the caller's clock.
//
// Certify it: assay certify 'exec:node memory_queue.mjs'
import { Driver, refuse, serve, Session } from "../index.js"; // installed: "assay-driver"

const DEFAULT_LIMIT = 3; // as the profile `reference` has it

function require(condition, message) {
  if (!condition) refuse("invalid", message);
}

// One namespace. Ids and tokens are counted, so that two runs give the same answers.
class Queue {
  jobs = new Map(); // id to record, in the order of their enqueues
  keys = new Map(); // queue and key to id
  paused = new Set();
  ids = 0;
  tokens = 0;

  new_id() {
    let id;
    do id = `job-${++this.ids}`;
    while (this.jobs.has(id)); // somebody may have chosen just this one
    return id;
  }

  find(job_id) {
    return this.jobs.get(job_id) ?? refuse("not_found", `no job is called ${job_id}`);
  }

  // The job that the caller speaks for. At its expiry instant a lease is already over.
  held({ now_ms, job_id, token }) {
    const record = this.find(job_id);
    const lost = (reason, message) => refuse("lease_lost", message, { reason });
    if (!record.lease) lost("not_held", `nobody holds it: it is ${record.stage}`);
    if (record.lease.expires_at_ms <= now_ms) lost("expired", "the lease is over");
    if (record.lease.token !== token) lost("mismatch", "it is held under another token");
    return record;
  }

  // Ends the lease and gives the job; null where this settle was made before.
  settle(call, hold) {
    require(hold.job_id !== "", "the job's id is empty");
    require(!(hold.attempts < 0), "the counter is negative");
    const before = this.find(hold.job_id).settled;
    if (before?.call === call && before.token === hold.token) return null;
    const record = this.held(hold);
    record.lease = null;
    record.settled = { call, token: hold.token };
    return record;
  }

  // A lost lease uses up budget, so that a job that kills its workers ends, too.
  expire(record, now_ms) {
    record.job.run_at_ms = record.lease.expires_at_ms;
    record.lease = null;
    record.stage = "waiting";
    record.lease_losses += 1;
    if (record.lease_losses >= (record.job.max_attempts || DEFAULT_LIMIT))
      bury(record, "lease expired", "lease expired", now_ms);
  }

  claim(record, { now_ms, lease_ms, worker }) {
    const token = `token-${++this.tokens}`;
    const expires_at_ms = now_ms + lease_ms;
    record.version += 1; // rises with every claim
    record.lease = { token, expires_at_ms, worker: worker || null };
    record.stage = "leased";
    record.settled = null;
    return { job: shown(record, now_ms), token, version: record.version, expires_at_ms };
  }
}

function bury(record, reason, error, at_ms) {
  record.stage = "dead";
  record.job.last_error = error;
  record.dead = { reason, error, at_ms };
}

// Time alone tells scheduled from ready.
function shown({ job, stage }, now_ms) {
  const waiting = job.run_at_ms > now_ms ? "scheduled" : "ready";
  return { ...job, state: stage === "waiting" ? waiting : stage };
}

// Higher priority first, then who could run earlier; the sort is stable, so then who came earlier.
function by_place_in_line({ job: a }, { job: b }) {
  const runnable = (job) => Math.max(job.created_at_ms, job.run_at_ms);
  return b.priority - a.priority || runnable(a) - runnable(b);
}

const content = ["queue", "type", "run_at_ms", "max_attempts", "timeout_ms", "key", "priority"];

function same(a, b) {
  return content.every((name) => a[name] === b[name]) && a.payload.equals(b.payload);
}

// Scope and key, kept apart whatever characters they hold.
function scoped({ queue, key }) {
  return JSON.stringify([queue, key]);
}

// The page behind `cursor` of rows { at, id, entry }, and the cursor of the next one.
function page(order, rows, { limit, cursor }) {
  require(limit > 0, "the page holds fewer than one");
  const less = (a, b) => a.at < b.at || (a.at === b.at && a.id < b.id);
  rows.sort((a, b) => (less(a, b) ? -1 : 1));
  if (cursor !== null) {
    const [, listing, at, id] = /^(\w+):(\d+):(.*)$/s.exec(cursor) ?? [];
    require(listing === order, "this listing made no such cursor");
    rows = rows.filter((row) => less({ at: Number(at), id }, row));
  }
  const last = rows[limit - 1];
  const next = rows.length > limit ? `${order}:${last.at}:${last.id}` : null;
  return [rows.slice(0, limit).map((row) => row.entry), next];
}

class MemorySession extends Session {
  constructor(queue) {
    super();
    this.queue = queue;
  }

  enqueue({ now_ms, job: given }) {
    const q = this.queue;
    const limit = given.max_attempts ?? 0;
    const attempts = given.attempts ?? 0;
    given.priority ??= 0;
    require(given.queue !== "" && given.type !== "", "queue or type is empty");
    require(given.id !== "" && given.key !== "", "id or key is empty");
    require((given.timeout_ms ?? 0) >= 0, "the timeout is negative");
    require(limit >= 0 && attempts >= 0, "limit or counter is negative");
    require(limit === 0 || attempts <= limit, "the counter is above the limit");
    const known = given.key === null ? undefined : q.keys.get(scoped(given));
    if (known !== undefined) return { id: known, existed: true };
    const taken = q.jobs.get(given.id);
    if (taken && same(taken.given, given)) return { id: given.id, existed: true };
    if (taken) refuse("duplicate_id", `another job is called ${given.id}`);
    const job = {
      ...given,
      id: given.id ?? q.new_id(),
      run_at_ms: given.run_at_ms ?? now_ms,
      attempts,
      last_error: null,
      created_at_ms: now_ms,
    };
    const fresh = { stage: "waiting", lease: null, version: 0, lease_losses: 0 };
    q.jobs.set(job.id, { job, given, ...fresh, settled: null, dead: null });
    if (job.key !== null) q.keys.set(scoped(job), job.id);
    return { id: job.id, existed: false };
  }

  reserve(request) {
    const { now_ms, queues, lease_ms, max, job_id } = request;
    const q = this.queue;
    require(queues.length > 0 && !queues.includes(""), "a queue's name is empty, or there is none");
    require(lease_ms > 0 && max > 0, "lease and max must be more than nothing");
    require(job_id === null, "claims here name no job");
    const asked = [...q.jobs.values()].filter(
      ({ job }) => queues.includes(job.queue) && !q.paused.has(job.queue),
    );
    for (const record of asked)
      if (record.lease && record.lease.expires_at_ms <= now_ms) q.expire(record, now_ms);
    const due = asked.filter((r) => r.stage === "waiting" && r.job.run_at_ms <= now_ms);
    const first = due.sort(by_place_in_line).slice(0, max);
    return { claims: first.map((record) => q.claim(record, request)) };
  }

  extend(request) {
    const { now_ms, job_id, lease_ms } = request;
    require(job_id !== "" && lease_ms > 0, "no job, or a lease of nothing");
    const { lease } = this.queue.held(request);
    lease.expires_at_ms = Math.max(lease.expires_at_ms, now_ms + lease_ms);
    return { expires_at_ms: lease.expires_at_ms };
  }

  ack(request) {
    const record = this.queue.settle("ack", request);
    if (record) record.stage = "done";
  }

  retry(request) {
    const record = this.queue.settle("retry", request);
    if (!record) return;
    record.stage = "waiting";
    record.job.run_at_ms = request.run_at_ms;
    record.job.attempts = request.attempts;
    record.job.last_error = request.error;
  }

  fail(request) {
    const record = this.queue.settle("fail", request);
    if (!record) return;
    record.job.attempts = request.attempts;
    bury(record, request.reason, request.error, request.now_ms);
  }

  cancel({ job_id }) {
    const record = this.queue.find(job_id);
    if (!["waiting", "leased"].includes(record.stage))
      refuse("conflict", `it is ${record.stage} already`);
    record.stage = "cancelled";
    record.lease = null;
    return { state: "cancelled" };
  }

  pause({ queue }) {
    require(queue !== "", "the queue's name is empty");
    this.queue.paused.add(queue);
  }

  resume({ queue }) {
    require(queue !== "", "the queue's name is empty");
    this.queue.paused.delete(queue);
  }

  get({ now_ms, job_id }) {
    const record = this.queue.find(job_id);
    const job = shown(record, now_ms);
    if (record.lease) job.lease = record.lease;
    if (record.dead) job.dead = record.dead;
    return { job };
  }

  list(request) {
    require(request.queue !== "", "the queue's name is empty");
    const rows = [];
    for (const record of this.queue.jobs.values()) {
      const entry = shown(record, request.now_ms);
      if (entry.queue === request.queue && [null, entry.state].includes(request.state))
        rows.push({ at: entry.created_at_ms, id: entry.id, entry });
    }
    const [jobs, cursor] = page("created_at_ms", rows, request);
    return { jobs, cursor };
  }

  dead(request) {
    require(request.queue !== "", "the queue's name is empty");
    const rows = [];
    for (const record of this.queue.jobs.values())
      if (record.dead && record.job.queue === request.queue) {
        const job = shown(record, request.now_ms);
        const entry = { job_id: job.id, job, ...record.dead };
        rows.push({ at: entry.at_ms, id: job.id, entry });
      }
    const [entries, cursor] = page("dead_at_ms", rows, request);
    return { entries, cursor };
  }

  requeue({ now_ms, job_id, run_at_ms, reset_attempts }) {
    const record = this.queue.find(job_id);
    if (record.stage !== "dead")
      refuse("conflict", `only a dead job can be requeued; this one is ${record.stage}`);
    Object.assign(record, { stage: "waiting", dead: null, settled: null });
    record.job.run_at_ms = run_at_ms ?? now_ms;
    if (reset_attempts) record.job.attempts = record.lease_losses = 0;
    return { job_id };
  }
}

class MemoryDriver extends Driver {
  name = "node-memory-queue";
  version = "1.0";
  // All that `reference` claims but for a clock of its own.
  profile = {
    base: "reference",
    clock: "caller",
    durability: "none",
    capabilities: [
      "schedule_at_enqueue", "priority", "cancel", "pause", "inspect", "list_paged", "dlq_ops",
      "worker_id", "lease_version", "queue_set_claim", "timeouts",
    ],
  };

  setup() {
    this.queue = new Queue();
  }

  open() {
    return new MemorySession(this.queue);
  }
}

serve(new MemoryDriver());
