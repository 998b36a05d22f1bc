// What an author sees. Names and units are those of the wire: instants are Unix milliseconds, an
// absent field is null, payloads are bytes. Every call may give a promise.

type Awaitable<T> = T | Promise<T>;

export type State = "scheduled" | "ready" | "leased" | "done" | "dead" | "cancelled";

/** What a producer hands in. Null: id made by the driver, run now, the engine's default limit (so
 * does a limit of 0), no timeout, no key, priority 0, no failure so far. */
export interface NewJob {
  id: string | null;
  queue: string;
  type: string;
  payload: Buffer;
  run_at_ms: number | null;
  max_attempts: number | null;
  timeout_ms: number | null;
  key: string | null;
  priority: number | null;
  attempts: number | null;
}

/** A job as the store shows it. What `attempts` counts is the profile's knob `counter`. */
export interface Job {
  id: string;
  queue: string;
  type: string;
  payload: Uint8Array;
  run_at_ms?: number | null;
  max_attempts?: number | null;
  timeout_ms?: number | null;
  key?: string | null;
  priority: number;
  attempts: number;
  last_error?: string | null;
  created_at_ms: number;
  state: State;
}

/** One delivery. `attempt` and `version` are there where the profile's fence uses them. */
export interface Claim {
  job: Job;
  token: string;
  attempt?: number;
  version?: number;
  expires_at_ms: number;
}

export interface Lease {
  token: string;
  expires_at_ms: number;
  worker?: string | null;
}

export interface Obituary {
  reason: string;
  error?: string | null;
  at_ms: number;
}

/** What `get` shows: the job, its lease while leased, its obituary once dead. */
export interface JobView extends Job {
  lease?: Lease;
  dead?: Obituary;
}

export interface DeadEntry extends Obituary {
  job_id: string;
  job: Job;
}

/** The caller's clock: a driver whose profile says `clock: caller` lives by it, one that says
 * `clock: store` ignores it. */
export interface Timed {
  now_ms: number;
}

/** Which claim a settle or an extension speaks for. */
export interface Hold extends Timed {
  job_id: string;
  token: string;
  attempt: number | null;
}

export interface PageRequest extends Timed {
  queue: string;
  limit: number;
  cursor: string | null;
}

/** One client of the queue; its calls come one after another. What is not overridden is refused as
 * unsupported. Any exception that is no Refusal is answered as internal, and serving goes on. */
export class Session {
  enqueue(request: Timed & { job: NewJob }): Awaitable<{ id: string; existed: boolean }>;
  /** Up to `max` jobs; an empty list when nothing is runnable. `job_id` is given only where the
   * profile says `claim_style: by_id`. */
  reserve(
    request: Timed & {
      queues: string[];
      lease_ms: number;
      worker: string;
      max: number;
      job_id: string | null;
    },
  ): Awaitable<{ claims: Claim[] }>;
  extend(request: Hold & { lease_ms: number }): Awaitable<{ expires_at_ms: number }>;
  ack(request: Hold): Awaitable<void>;
  /** `attempts` is the new counter. Only where the engine decides. */
  retry(request: Hold & { run_at_ms: number; attempts: number; error: string }): Awaitable<void>;
  /** To the dead letters. Only where the engine decides. */
  fail(request: Hold & { attempts: number; reason: string; error: string }): Awaitable<void>;
  /** Only where the store decides. `run_at_ms`: when it may run again; absent once dead. */
  nack(
    request: Hold & { error: string; unrecoverable: boolean },
  ): Awaitable<{ state: State; run_at_ms?: number | null }>;
  cancel(request: Timed & { job_id: string }): Awaitable<{ state: State }>;
  pause(request: Timed & { queue: string }): Awaitable<void>;
  resume(request: Timed & { queue: string }): Awaitable<void>;
  get(request: Timed & { job_id: string }): Awaitable<{ job: JobView }>;
  list(
    request: PageRequest & { state: State | null },
  ): Awaitable<{ jobs: Job[]; cursor: string | null }>;
  dead(request: PageRequest): Awaitable<{ entries: DeadEntry[]; cursor: string | null }>;
  /** A new id where the profile says `replay: fresh_job`. */
  requeue(
    request: Timed & { job_id: string; run_at_ms: number | null; reset_attempts: boolean },
  ): Awaitable<{ job_id: string }>;
  /** Called once. Whatever comes after it is refused as closed without asking the session. */
  close(): Awaitable<void>;
}

/** A queue under test. It owns one namespace at a time and opens sessions on it. */
export class Driver {
  name: string;
  version: string;
  /** What is claimed and judged: knobs, numbers, a list of capabilities (docs/contract.md). */
  profile: Record<string, unknown>;

  /** Afterwards the namespace's storage exists. It is empty, unless `options.create` is false: then
   * another process made it, and this one attaches to it (only with capability `shared_storage`).
   * Called again after each teardown. */
  setup(request: {
    namespace: string;
    url: string | null;
    options: Record<string, unknown>;
  }): Awaitable<void>;
  /** Afterwards the namespace's storage is gone. Its sessions have been closed. */
  teardown(request: { namespace: string }): Awaitable<void>;
  open(request: { session: string; role: "producer" | "worker" | "admin" }): Awaitable<Session>;
  /** The time that leases and schedules are judged by, where the store has a clock. */
  now(): Awaitable<number>;
  /** Moves that clock for everybody who uses the namespace, and gives the new time. Only with
   * capability `virtual_time`: a clock that stands still until it is told to move. */
  advance(request: { by_ms: number }): Awaitable<number>;
}

export type Code =
  | "invalid"
  | "not_found"
  | "lease_lost"
  | "duplicate_key"
  | "duplicate_id"
  | "conflict"
  | "unsupported"
  | "closed"
  | "unavailable"
  | "internal";

export interface RefusalOptions {
  /** Of a lost lease: the first of these that holds. */
  reason?: "not_held" | "expired" | "mismatch";
  /** Whether the call certainly had no effect. Absent: yes, except for unavailable and internal. In
   * doubt say false, which is always safe. */
  definite?: boolean;
}

/** Thrown by a driver, answered with its code. */
export class Refusal extends Error {
  constructor(code: Code, message?: string, options?: RefusalOptions);
  code: Code;
  reason?: RefusalOptions["reason"];
  definite?: boolean;
}

/** Throws a Refusal. */
export function refuse(code: Code, message?: string, options?: RefusalOptions): never;

/** Answers requests until the input ends or the process is told to end (SIGTERM, SIGINT), and then
 * ends the process: with status 1 when what came in was not the protocol.
 *
 * With `--listen HOST:PORT` among the arguments it serves TCP connections, one after another, for
 * ever. Otherwise it serves stdin and stdout; console.log goes to stderr meanwhile. Requests of
 * different sessions are not kept waiting for each other's promises. */
export function serve(driver: Driver, options?: { argv?: string[] }): Promise<void>;
