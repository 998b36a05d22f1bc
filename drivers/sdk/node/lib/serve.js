// serve: answers Assay's requests with a driver, over stdin and stdout or over TCP.
import net from "node:net";

import { refuse, Refusal } from "./refusal.js";
import {
  as_refusal, BadLine, LIFE, MAX_LINE, OPERATIONS, read_fields, read_request, refusal_line,
  success_line,
} from "./wire.js";

const PROTOCOL = 1;
const ROLES = ["producer", "worker", "admin"];

export async function serve(driver, { argv = process.argv.slice(2) } = {}) {
  const server = new Server(driver);
  const listen = address_in(argv);
  for (const signal of ["SIGTERM", "SIGINT"])
    process.on(signal, async () => {
      await server.close_sessions();
      process.exit(0);
    });
  if (listen) return serve_tcp(server, listen);
  const write = guarded_stdout();
  let status = 0;
  try {
    await server.answer(process.stdin, write);
  } catch (error) {
    status = report(error);
  }
  await server.close_sessions();
  process.exit(status); // whatever the driver still has open
}

function address_in(argv) {
  const at = argv.findIndex((word) => word === "--listen" || word.startsWith("--listen="));
  if (at < 0) return null;
  const given = argv[at] === "--listen" ? argv[at + 1] : argv[at].slice("--listen=".length);
  const [, host, port] = /^\[?([^\]]*)\]?:(\d+)$/.exec(given ?? "") ?? [];
  if (host) return { host, port: Number(port) };
  console.error("usage: --listen HOST:PORT");
  return process.exit(2);
}

function report(error) {
  if (!(error instanceof BadLine)) throw error;
  console.error(`assay-driver: protocol error: ${error.message}`);
  return 1;
}

// Whatever else is written to stdout from now on goes to stderr.
function guarded_stdout() {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  stdout.on("error", () => process.exit(0)); // nobody reads the answers any more
  return write;
}

// One connection after another: a driver has one namespace at a time.
function serve_tcp(server, { host, port }) {
  let turn = Promise.resolve();
  const listener = net.createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    turn = turn.then(async () => {
      try {
        await server.answer(socket, (line) => socket.write(line));
      } catch (error) {
        if (error instanceof BadLine) report(error); // one bad peer does not end the others
      }
      await server.close_sessions();
      socket.end();
    });
  });
  listener.listen(port, host, () => {
    console.error(`listening on ${host}:${listener.address().port}`);
  });
  return new Promise(() => {});
}

class Server {
  #driver;
  #sessions = new Map();

  constructor(driver) {
    this.#driver = driver;
  }

  // Answers every request until the input ends; resolves when the last one is answered.
  async answer(input, write) {
    const pending = new Set();
    let begun = []; // pieces of a line whose end has not come
    let length = 0;
    for await (const chunk of input) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        const last = chunk.subarray(from, end);
        if (length + last.length > MAX_LINE) throw too_long(begun, last);
        this.#handle(begun.length ? Buffer.concat([...begun, last]) : last, write, pending);
        begun = [];
        length = 0;
        from = end + 1;
      }
      if (from === chunk.length) continue;
      begun.push(chunk.subarray(from));
      length += chunk.length - from;
      if (length > MAX_LINE) throw too_long(begun, begun[0]);
    }
    if (length) this.#handle(Buffer.concat(begun), write, pending);
    await Promise.all(pending);
  }

  // A call that gives no promise is answered at once, without a turn of the event loop.
  #handle(line, write, pending) {
    const request = read_request(line);
    const { id } = request;
    const refused = (error) => write(refusal_line(id, as_refusal(error)));
    const answered = (ok) => {
      const text = success_line(id, ok);
      const size = Buffer.byteLength(text);
      if (size > MAX_LINE)
        throw new Refusal("internal", `the answer has ${size} bytes, more than a line may have`);
      write(text);
    };
    try {
      const ok = this.#perform(request);
      if (!is_promise(ok)) return answered(ok);
      const one = ok.then(answered).catch(refused).finally(() => pending.delete(one));
      pending.add(one);
    } catch (error) {
      refused(error);
    }
  }

  #perform(request) {
    const { op } = request;
    if (typeof op !== "string") refuse("invalid", "op must be a string");
    if (Object.hasOwn(OPERATIONS, op)) return this.#operate(op, request);
    if (!Object.hasOwn(LIFE, op)) refuse("unsupported", `there is no operation ${op}`);
    return this[op](read_fields(LIFE[op], request));
  }

  #operate(op, request) {
    if (typeof request.session !== "string") refuse("invalid", "session must be a string");
    const session = this.#sessions.get(request.session);
    if (!session) refuse("closed", `no session ${request.session} is open`);
    const { fields, write } = OPERATIONS[op];
    return then(session[op](read_fields(fields, request)), write);
  }

  hello({ protocol }) {
    if (protocol !== PROTOCOL)
      refuse("unsupported", `this driver speaks protocol ${PROTOCOL}, not ${protocol}`);
    const { name, version, profile } = this.#driver;
    return { protocol: PROTOCOL, name, version, profile };
  }

  setup(request) {
    return then(this.#driver.setup(request), () => ({}));
  }

  async teardown(request) {
    await this.close_sessions();
    await this.#driver.teardown(request);
    return {};
  }

  open(request) {
    const { session: name, role } = request;
    if (!ROLES.includes(role)) refuse("invalid", `there is no role ${role}`);
    if (this.#sessions.has(name)) refuse("conflict", `session ${name} is open already`);
    return then(this.#driver.open(request), (session) => {
      this.#sessions.set(name, session);
      return {};
    });
  }

  close({ session: name }) {
    const session = this.#sessions.get(name);
    this.#sessions.delete(name);
    return session ? then(session.close(), () => ({})) : {};
  }

  now() {
    return then(this.#driver.now(), (now_ms) => ({ now_ms }));
  }

  advance({ by_ms }) {
    if (by_ms < 0) refuse("invalid", "by_ms is negative");
    return then(this.#driver.advance({ by_ms }), (now_ms) => ({ now_ms }));
  }

  async close_sessions() {
    for (const [name, session] of this.#sessions) {
      this.#sessions.delete(name);
      try {
        await session.close();
      } catch (error) {
        console.error(error);
      }
    }
  }
}

function is_promise(value) {
  return typeof value?.then === "function";
}

function then(value, use) {
  return is_promise(value) ? value.then(use) : use(value);
}

function too_long(begun, piece) {
  const start = JSON.stringify((begun[0] ?? piece).subarray(0, 200).toString("latin1"));
  return new BadLine(`a line of more than ${MAX_LINE} bytes: ${start}...`);
}
