// A driver that does with a job of type T whatever T says: for the tests of the SDK.
import { Driver, refuse, serve, Session } from "../../drivers/sdk/node/index.js";

let other_came;
const coming = new Promise((resolve) => (other_came = resolve));

class OddSession extends Session {
  constructor(name) {
    super();
    this.name = name;
  }

  enqueue({ now_ms, job }) {
    switch (job.type) {
      case "echo":
        return { id: `${this.name} ${now_ms} ${job.payload.toString("hex")}`, existed: false };
      case "later":
        return Promise.resolve({ id: "later", existed: false });
      case "nothing":
        return undefined;
      case "huge":
        return { id: "x".repeat(16 * 1024 * 1024), existed: false };
      case "large":
        return { id: "x".repeat(15 * 1024 * 1024), existed: false };
      case "print":
        console.log("a stray print");
        process.stdout.write("a stray write\n");
        return { id: "printed", existed: false };
      case "crash":
        throw new Error("the driver stumbled");
      case "crash later":
        return Promise.reject(new Error("the driver stumbled later"));
      case "wait":
        return coming;
      case "come":
        other_came({ id: "waited", existed: false });
        return { id: "came", existed: false };
    }
    const definite = { yes: true, no: false }[job.key];
    return refuse(job.type, "why", job.type === "lease_lost" ? { reason: job.key } : { definite });
  }

  list({ queue, state, limit, cursor }) {
    const type = `${state} ${limit} ${cursor}`;
    const job = { id: "i", queue, type, payload: Buffer.from([0, 255]), state: "ready" };
    return { jobs: [job], cursor: "next" };
  }

  close() {
    console.log(`${this.name} closed`);
  }
}

class OddDriver extends Driver {
  name = "odd";
  version = "7";
  profile = { base: "taskharbor" };

  open({ session }) {
    return new OddSession(session);
  }
}

serve(new OddDriver());
