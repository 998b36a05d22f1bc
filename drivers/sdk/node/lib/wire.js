// The wire: a request's fields are checked and become one argument, what a call gives its answer.
import { Refusal, refuse } from "./refusal.js";

export const MAX_LINE = 16 * 1024 * 1024; // bytes, without the line's end

// What the peer sent is no request, so nothing can be answered.
export class BadLine extends Error {}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function read_request(line) {
  const quoted = () => JSON.stringify(line.subarray(0, 200).toString("latin1"));
  let request;
  try {
    request = JSON.parse(utf8.decode(line));
  } catch (error) {
    throw new BadLine(`not a line of JSON (${error.message}): ${quoted()}`);
  }
  if (request === null || typeof request !== "object" || Array.isArray(request))
    throw new BadLine(`not an object: ${quoted()}`);
  if (!Number.isSafeInteger(request.id))
    throw new BadLine(`a request without an integer id: ${quoted()}`);
  return request;
}

export function success_line(id, ok) {
  return JSON.stringify({ id, ok }) + "\n";
}

export function refusal_line(id, refusal) {
  const { code, reason, message, definite } = refusal;
  return JSON.stringify({ id, error: { code, reason, message, definite } }) + "\n";
}

// Kinds of fields: each gives the value as the driver sees it, undefined where the type is wrong.
const text = { words: "a string", read: (v) => (typeof v === "string" ? v : undefined) };
const integer = { words: "an integer", read: (v) => (Number.isSafeInteger(v) ? v : undefined) };
const flag = { words: "true or false", read: (v) => (typeof v === "boolean" ? v : undefined) };
const texts = {
  words: "a list of strings",
  read: (v) => (Array.isArray(v) && v.every((one) => typeof one === "string") ? v : undefined),
};
const states = new Set(["scheduled", "ready", "leased", "done", "dead", "cancelled"]);
const state = { words: "a state", read: (v) => (states.has(v) ? v : undefined) };
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const is_base64 = (v) => typeof v === "string" && v.length % 4 === 0 && base64.test(v);
const bytes = {
  words: "base64",
  read: (v) => (is_base64(v) ? Buffer.from(v, "base64") : undefined),
};
const object = {
  words: "an object",
  read: (v) => (v !== null && typeof v === "object" && !Array.isArray(v) ? v : undefined),
};

const required = (kind) => ({ ...kind, required: true });
const optional = (kind, otherwise = null) => ({ ...kind, otherwise });

export function read_fields(schema, request) {
  const fields = {};
  for (const name in schema) {
    const kind = schema[name];
    const given = request[name];
    if (given === undefined || given === null) {
      if (kind.required) refuse("invalid", `${name} is missing`);
      fields[name] = kind.otherwise;
      continue;
    }
    const value = kind.read(given);
    if (value === undefined) refuse("invalid", `${name} must be ${kind.words}`);
    fields[name] = value;
  }
  return fields;
}

const new_job = {
  id: optional(text),
  queue: required(text),
  type: required(text),
  payload: required(bytes),
  run_at_ms: optional(integer),
  max_attempts: optional(integer),
  timeout_ms: optional(integer),
  key: optional(text),
  priority: optional(integer),
  attempts: optional(integer),
};
const job_in = { words: "a job", read: (v) => read_fields(new_job, object.read(v) ?? {}) };

function job_out(job) {
  return { ...job, payload: Buffer.from(job.payload).toString("base64") };
}

function with_jobs(list) {
  return list.map((entry) => ({ ...entry, job: job_out(entry.job) }));
}

const now_ms = required(integer);
const hold = { now_ms, job_id: required(text), token: required(text), attempt: optional(integer) };
const one_job = { now_ms, job_id: required(text) };
const one_queue = { now_ms, queue: required(text) };
const page = { ...one_queue, limit: optional(integer, 100), cursor: optional(text) };

const nothing = () => ({});

// How the fields of each operation are read, and its answer written.
export const OPERATIONS = {
  enqueue: {
    fields: { now_ms, job: required(job_in) },
    write: ({ id, existed }) => ({ id, existed }),
  },
  reserve: {
    fields: {
      now_ms,
      queues: required(texts),
      lease_ms: required(integer),
      worker: optional(text, ""),
      max: optional(integer, 1),
      job_id: optional(text),
    },
    write: (answer) => ({ claims: with_jobs(answer.claims) }),
  },
  extend: {
    fields: { ...hold, lease_ms: required(integer) },
    write: ({ expires_at_ms }) => ({ expires_at_ms }),
  },
  ack: { fields: hold, write: nothing },
  retry: {
    fields: {
      ...hold,
      run_at_ms: required(integer),
      attempts: required(integer),
      error: optional(text, ""),
    },
    write: nothing,
  },
  fail: {
    fields: {
      ...hold,
      attempts: required(integer),
      reason: optional(text, ""),
      error: optional(text, ""),
    },
    write: nothing,
  },
  nack: {
    fields: { ...hold, error: optional(text, ""), unrecoverable: optional(flag, false) },
    write: ({ state, run_at_ms }) => ({ state, run_at_ms }),
  },
  cancel: { fields: one_job, write: ({ state }) => ({ state }) },
  pause: { fields: one_queue, write: nothing },
  resume: { fields: one_queue, write: nothing },
  get: { fields: one_job, write: (answer) => ({ job: job_out(answer.job) }) },
  list: {
    fields: { ...page, state: optional(state) },
    write: (answer) => ({ jobs: answer.jobs.map(job_out), cursor: answer.cursor ?? null }),
  },
  dead: {
    fields: page,
    write: (answer) => ({ entries: with_jobs(answer.entries), cursor: answer.cursor ?? null }),
  },
  requeue: {
    fields: { ...one_job, run_at_ms: optional(integer), reset_attempts: optional(flag, false) },
    write: ({ job_id }) => ({ job_id }),
  },
};

export const LIFE = {
  hello: { protocol: required(integer) },
  setup: { namespace: required(text), url: optional(text), options: optional(object, {}) },
  teardown: { namespace: required(text) },
  open: { session: required(text), role: required(text) },
  close: { session: required(text) },
  now: {},
  advance: { by_ms: required(integer) },
};

export function as_refusal(error) {
  if (error instanceof Refusal) return error;
  console.error(error);
  return new Refusal("internal", String(error));
}
