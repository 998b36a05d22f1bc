// The Node SDK over real pipes and sockets.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { createInterface } from "node:readline";
import test from "node:test";
import { fileURLToPath } from "node:url";

const ODD = fileURLToPath(new URL("odd_driver.mjs", import.meta.url));
const MIB = 1024 * 1024;

// A driver's process, and Assay's side of the conversation with it.
class Peer {
  sent = 0;
  log = "";

  constructor(t, ...words) {
    // What a machine's Node is told by its surroundings may make it talk on stderr.
    const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS, ...env } = process.env;
    this.process = spawn(process.execPath, [ODD, ...words], { env });
    t.after(() => this.process.kill("SIGKILL"));
    this.ended = once(this.process, "close").then(([status]) => status);
    this.process.stdin.on("error", () => {}); // it may end before it took all
    this.process.stderr.on("data", (text) => (this.log += text));
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  send_line(line) {
    this.process.stdin.write(line);
  }

  send(op, fields) {
    this.sent += 1;
    this.send_line(JSON.stringify({ id: this.sent, op, ...fields }) + "\n");
    return this.sent;
  }

  async receive() {
    return JSON.parse((await this.lines.next()).value);
  }

  async call(op, fields) {
    const sent = this.send(op, fields);
    const { id, ...answer } = await this.receive();
    assert.equal(id, sent);
    return answer;
  }

  async open(...names) {
    for (const session of names)
      assert.deepEqual(await this.call("open", { session, role: "worker" }), { ok: {} });
  }

  enqueue(type, fields, session = "s") {
    const job = { queue: "q", type, payload: "", ...fields };
    return this.call("enqueue", { session, now_ms: 5, job });
  }

  async refuses(answer, code) {
    const got = await answer;
    assert.equal(got.error?.code, code, JSON.stringify(got));
    return got.error;
  }

  // Ends the input; nothing but answers came on stdout.
  async end(status) {
    this.process.stdin.end();
    assert.equal((await this.lines.next()).done, true);
    assert.equal(await this.ended, status, this.log);
    return this.log;
  }
}

test("hello says what the driver is, and refuses another protocol", async (t) => {
  const peer = new Peer(t);
  const { ok } = await peer.call("hello", { protocol: 1 });
  assert.deepEqual(ok, {
    protocol: 1,
    name: "odd",
    version: "7",
    profile: { base: "taskharbor" },
  });
  const error = await peer.refuses(peer.call("hello", { protocol: 2 }), "unsupported");
  assert.match(error.message, /protocol 1, not 2/);
});

test("calls reach the session that they name, with any bytes", async (t) => {
  const peer = new Peer(t);
  await peer.open("a", "b");
  assert.equal((await peer.enqueue("echo", {}, "a")).ok.id, "a 5 ");
  const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const { ok } = await peer.enqueue("echo", { payload: every.toString("base64") }, "b");
  assert.equal(ok.id, "b 5 " + every.toString("hex"));
  const page = (await peer.call("list", { session: "a", now_ms: 1, queue: "q", limit: 3 })).ok;
  assert.equal(page.jobs[0].payload, "AP8=");
  assert.equal(page.jobs[0].type, "null 3 null");
  assert.equal(page.cursor, "next");
});

test("unknown fields are ignored, wrong types refused as invalid", async (t) => {
  const peer = new Peer(t);
  await peer.open("s");
  assert.ok((await peer.enqueue("echo", { colour: "red" })).ok);
  const wrong = [{ queue: 1 }, { queue: null }, { payload: "?" }, { run_at_ms: 1.5 }];
  for (const fields of [...wrong, { run_at_ms: true }, { max_attempts: 2 ** 63 }, { key: [] }])
    await peer.refuses(peer.enqueue("echo", fields), "invalid");
  const page = { session: "s", now_ms: 1, queue: "q" };
  await peer.refuses(peer.call("list", { ...page, state: "asleep" }), "invalid");
  await peer.refuses(peer.call("list", { ...page, now_ms: "now" }), "invalid");
  await peer.refuses(peer.call("reserve", { ...page, queues: "q", lease_ms: 1 }), "invalid");
  await peer.refuses(peer.call("open", { session: "t", role: "king" }), "invalid");
  await peer.refuses(peer.call("advance", { by_ms: -1 }), "invalid");
  await peer.refuses(peer.call(7), "invalid");
});

test("what the driver lacks is unsupported", async (t) => {
  const peer = new Peer(t);
  await peer.open("s");
  const hold = { session: "s", now_ms: 1, job_id: "j", token: "t" };
  await peer.refuses(peer.call("ack", hold), "unsupported");
  await peer.refuses(peer.call("now"), "unsupported");
  await peer.refuses(peer.call("dance"), "unsupported");
  await peer.refuses(peer.call("constructor"), "unsupported");
});

test("after close every call but close is closed", async (t) => {
  const peer = new Peer(t);
  await peer.open("s");
  assert.deepEqual(await peer.call("close", { session: "s" }), { ok: {} });
  assert.deepEqual(await peer.call("close", { session: "s" }), { ok: {} });
  await peer.refuses(peer.enqueue("echo"), "closed");
  await peer.open("s");
  await peer.refuses(peer.call("open", { session: "s", role: "worker" }), "conflict");
  assert.deepEqual(await peer.call("teardown", { namespace: "n" }), { ok: {} });
  await peer.refuses(peer.enqueue("echo"), "closed");
});

test("refusals arrive with code, reason and definiteness", async (t) => {
  const peer = new Peer(t);
  await peer.open("s");
  const codes = "invalid not_found duplicate_key duplicate_id conflict unsupported closed";
  for (const code of [...codes.split(" "), "unavailable", "internal"])
    assert.deepEqual(await peer.enqueue(code), { error: { code, message: "why" } });
  assert.equal((await peer.enqueue("conflict", { key: "no" })).error.definite, false);
  assert.equal((await peer.enqueue("unavailable", { key: "yes" })).error.definite, true);
  assert.equal((await peer.enqueue("lease_lost", { key: "expired" })).error.reason, "expired");
});

test("any other exception is internal, and serving goes on", async (t) => {
  const peer = new Peer(t);
  await peer.open("s");
  const error = await peer.refuses(peer.enqueue("crash"), "internal");
  assert.match(error.message, /the driver stumbled/);
  await peer.refuses(peer.enqueue("crash later"), "internal");
  await peer.refuses(peer.enqueue("nothing"), "internal");
  assert.equal((await peer.enqueue("later")).ok.id, "later");
  assert.match(await peer.end(0), /stumbled[^]* at [^]*stumbled later/);
});

test("an answer that is too long is internal", async (t) => {
  const peer = new Peer(t);
  await peer.open("s");
  assert.equal((await peer.enqueue("large")).ok.id.length, 15 * MIB);
  await peer.refuses(peer.enqueue("huge"), "internal");
  assert.ok((await peer.enqueue("echo")).ok);
});

test("a line that is no request ends it with words", async (t) => {
  for (const line of ["hi", "[1]", '{"op":"now"}', '{"id":"1"}', '{"id":1,"op":"\xff"}', ""]) {
    const peer = new Peer(t);
    peer.send_line(Buffer.from(line + "\n", "latin1"));
    assert.match(await peer.end(1), /^assay-driver: protocol error: .*\n$/);
  }
});

test("a line that is too long ends it with words", async (t) => {
  const peer = new Peer(t);
  const fits = '{"id":1,"op":"dance","x":"' + "x".repeat(15 * MIB);
  peer.send_line(fits + '"}\n');
  await peer.refuses(peer.receive(), "unsupported");
  peer.send_line(fits + "x".repeat(2 * MIB) + '"}\n');
  assert.match(await peer.end(1), /more than 16777216 bytes/);
});

test("stray output goes to stderr, and the end of the input closes the sessions", async (t) => {
  const peer = new Peer(t);
  await peer.open("a", "s");
  assert.equal((await peer.enqueue("print")).ok.id, "printed");
  const log = await peer.end(0);
  for (const words of ["a stray print", "a stray write", "a closed", "s closed"])
    assert.ok(log.includes(words), words);
});

test("the last line needs no newline", async (t) => {
  const peer = new Peer(t);
  peer.send_line('{"id":1,"op":"now"}');
  peer.process.stdin.end();
  await peer.refuses(peer.receive(), "unsupported");
  await peer.end(0);
});

test("SIGTERM ends it quietly", async (t) => {
  const peer = new Peer(t);
  await peer.open("s");
  peer.process.kill("SIGTERM");
  assert.equal(await peer.end(0), "s closed\n");
});

test("a promise of one session does not hold up another", async (t) => {
  const peer = new Peer(t);
  await peer.open("a", "b");
  const job = { queue: "q", payload: "" };
  const first = peer.send("enqueue", { session: "a", now_ms: 1, job: { ...job, type: "wait" } });
  const second = peer.send("enqueue", { session: "b", now_ms: 1, job: { ...job, type: "come" } });
  assert.deepEqual(
    [await peer.receive(), await peer.receive()].map(({ id, ok }) => [id, ok.id]),
    [[second, "came"], [first, "waited"]],
  );
  await peer.end(0);
});

test("TCP: one connection after another", async (t) => {
  const peer = new Peer(t, "--listen", "127.0.0.1:0");
  while (!peer.log.includes("\n")) await once(peer.process.stderr, "data");
  const port = Number(/^listening on 127\.0\.0\.1:(\d+)\n$/.exec(peer.log)[1]);
  for (const spoil of ["", "nonsense\n", ""]) {
    const socket = net.connect(port, "127.0.0.1");
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    socket.write('{"id":3,"op":"open","session":"s","role":"admin"}\n');
    assert.equal((await lines.next()).value, '{"id":3,"ok":{}}');
    socket.end(spoil);
    assert.equal((await lines.next()).done, true);
  }
  peer.process.kill("SIGTERM");
  assert.equal(await peer.ended, 0);
  assert.match(peer.log, /protocol error/);
});
