// Driver and Session: the two classes that an author extends.
import { refuse } from "./refusal.js";

function lacks(call) {
  return refuse("unsupported", `this driver has no ${call}`);
}

export class Session {
  enqueue() { return lacks("enqueue"); }
  reserve() { return lacks("reserve"); }
  extend() { return lacks("extend"); }
  ack() { return lacks("ack"); }
  retry() { return lacks("retry"); }
  fail() { return lacks("fail"); }
  nack() { return lacks("nack"); }
  cancel() { return lacks("cancel"); }
  pause() { return lacks("pause"); }
  resume() { return lacks("resume"); }
  get() { return lacks("get"); }
  list() { return lacks("list"); }
  dead() { return lacks("dead"); }
  requeue() { return lacks("requeue"); }
  close() {}
}

export class Driver {
  name = "unnamed";
  version = "0";
  profile = {};

  setup() {}
  teardown() {}
  open() { return lacks("open"); }
  now() { return lacks("now"); }
  advance() { return lacks("advance"); }
}
