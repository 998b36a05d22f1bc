#include "harness/cli/protocol_page.h"

#include <fmt/format.h>

#include "harness/cli/markdown.h"
#include "harness/contract/profile_json.h"
#include "harness/remote/schema.h"

namespace assay::cli {

namespace {

using namespace markdown;
using namespace protocol;

constexpr std::string_view opening = R"md(# The driver protocol, version 1

How Assay talks to a driver that is not linked into it: another process, in any language. This page is printed by
`assay print protocol` from the tables in `harness/remote/schema.cpp`; the same tables check what a driver answers.
[protocol.schema.json](protocol.schema.json) is the same as a JSON Schema. [contract.md](contract.md) says what the
operations promise; this page says only what they look like. There are kits that speak it for you in `drivers/sdk`.

## Transport

- One JSON object a line, UTF-8, ended by `\n`; at most 16 MiB (16,777,216 bytes) a line without its end, nested at
  most 100 levels deep. A line end inside a text is written `\n`, as JSON demands.
- `exec:COMMAND` starts a process and speaks over its stdin and stdout. Stdout is for the protocol only; stderr is the
  driver's log, which Assay keeps with the run. Write each answer out at once: an answer that waits in a buffer is
  silence.
- `tcp:HOST:PORT` connects to a driver that runs already; Assay neither starts nor stops it.
- Numbers are whole and fit into 64 bits with a sign: `1`, never `1.0` or `1e3`. All times are Unix milliseconds, all
  lengths of time milliseconds, and their names end in `_ms`. Ids, tokens, cursors and names are texts, compared byte by byte.
  Payloads are base64 with padding (RFC 4648, section 4).
- A field that may be left out may also be null; both mean the same. A field that somebody does not know is ignored, by
  drivers and by Assay.

## Envelope

    request   {"id": 7, "op": "ack", "session": "w1", "now_ms": 1893456000123, "job_id": "j1", "token": "t1"}
    success   {"id": 7, "ok": {}}
    refusal   {"id": 7, "error": {"code": "lease_lost", "reason": "expired", "message": "for people"}}

Every request has an `id`, a number that rises from request to request of one connection, and an `op`. The driver
answers each request exactly once, with the request's `id` and either `ok` or `error`.

Sessions are independent: Assay may send requests of other sessions before the first is answered, and they may be
answered in any order. Within one session the next request comes only after the answer. A driver may answer
everything one after the other.

`now_ms` is the caller's clock, present on every operation of a session. A driver whose profile says `clock: caller`
must take it for the present time; one that says `clock: store` ignores it. It need not be the machine's time: under a
run, time is virtual and begins in 2030.

An operation that the driver does not know, or does not have, is answered with `unsupported`.
)md";

constexpr std::string_view life = R"md(
## Life of a driver

1. `hello` comes first, once a connection. The driver tells its profile; nothing may be stored yet.
2. `setup` names a namespace: a place of its own in the store. With `"create": true` the driver makes it anew and
   empty, whatever was there.
3. `open` begins sessions, operations are made, `close` ends sessions. `now` and `advance` may come in between, while no
   operation is under way.
4. `teardown` removes what the namespace stored. Then `setup` may come again, with another namespace or the same: a
   process lives through many. `setup` comes once a namespace and process.
5. The end of the input means: close every session and exit.

These seven need no `now_ms`; `open` and `close` name their session.
)md";

constexpr std::string_view processes = R"md(
## Several processes

A driver that claims `shared_storage` is started as several processes on one namespace (or connected to several times),
one a session, so that a fault can kill one of them. Each gets its own `hello` and `setup`, and must claim the same as
the others. The first is told `"create": true` and makes the storage; the others are told `"create": false`, attach to
what is there and must not empty it. `advance` is sent to one process and must move the clock of all, so such a driver
keeps its clock, or the offset to it, in the store. `teardown` is sent to one process only: the one that created the
namespace, or another one if that is gone. The others are told nothing; they get another `setup` or the end of their
input. A driver that does not claim `shared_storage` gets one process for all its sessions.

Session names are unique within a process, not among processes.
)md";

constexpr std::string_view profile_text = R"md(
## The profile

What a driver claims in `hello`, and is judged by: an object of knobs, numbers and a list of capabilities. What is left
out has the value of the built-in profile that `base` names (`reference` where there is no `base`); a `capabilities`
list replaces the base's list. Unknown values are refused, and so are claims that contradict each other. An unclaimed
capability makes its rules *not applicable*, never *passed*. [contract.md](contract.md#knobs) says what each value
promises.

    {"base": "taskharbor", "clock": "caller", "durability": "none", "time_resolution_ms": 1,
     "capabilities": ["schedule_at_enqueue", "inspect", "list_paged", "dlq_ops", "virtual_time"]}
)md";

constexpr std::string_view errors_text = R"md(
## Errors

A refusal is not a failure of the driver: it is an answer, and the contract says when it is the right one. `definite`
says whether the operation certainly had no effect. An indefinite answer is always safe: it convicts nobody, but a
driver that gives it often leaves its rules untested.
)md";

constexpr std::string_view trouble_text = R"md(
## Deadlines

Each request must be answered within 10 seconds, the first one of a process within 30, for it may have to start;
`--driver-timeout` sets both. That is real time, whatever the virtual clock does. A driver that waits for something
that only another session can bring must answer before that.

## Bad answers

None of these crashes or hangs Assay; each is a *driver protocol error*, reported with the offending line:

- a line that is not one JSON object, not UTF-8, too long, or nested too deep;
- an `id` that was never asked, or is answered already;
- neither `ok` nor `error`, or both;
- a required field that is missing, or a field of another type than this page says;
- an error code, reason or state that this page does not have;
- silence past the deadline;
- the end of the output, or of the process, while requests are open.

What the operation did is then *unknown*, and the connection is not used any more. It is an ERROR, not a FAIL: the
driver is not certified, but not convicted of anything by it.

## End of input

When its stdin ends, or the connection, the driver closes every session and, under `exec:`, exits with status 0. A
process that stays is killed after some seconds, with everything that it started. A driver may also be killed at any
moment: that is one of the faults.

## Trying it

`assay driver check 'exec:COMMAND'` sends every operation once and tells which answers are not as this page says, line
by line; it judges nothing else. `--trace` shows the conversation. `assay certify 'exec:COMMAND'` is the real test.
)md";

constexpr std::string_view example = R"md(
## An example

`>` is what Assay sends, `<` what the driver answers.

    > {"id":1,"op":"hello","protocol":1}
    < {"id":1,"ok":{"protocol":1,"name":"my-queue","version":"0.1","profile":{"base":"reference","capabilities":["inspect","schedule_at_enqueue"]}}}
    > {"id":2,"op":"setup","namespace":"assay_1","url":null,"options":{"create":true,"seed":42}}
    < {"id":2,"ok":{}}
    > {"id":3,"op":"open","session":"p1","role":"producer"}
    < {"id":3,"ok":{}}
    > {"id":4,"op":"open","session":"w1","role":"worker"}
    < {"id":4,"ok":{}}
    > {"id":5,"op":"enqueue","session":"p1","now_ms":1893456000000,"job":{"queue":"mail","type":"send","payload":"aGVsbG8="}}
    < {"id":5,"ok":{"id":"j1","existed":false}}
    > {"id":6,"op":"reserve","session":"w1","now_ms":1893456000000,"queues":["mail"],"lease_ms":30000,"worker":"w1","max":1}
    < {"id":6,"ok":{"claims":[{"job":{"id":"j1","queue":"mail","type":"send","payload":"aGVsbG8=","attempts":0,"created_at_ms":1893456000000,"state":"leased"},"token":"t1","version":1,"expires_at_ms":1893456030000}]}}
    > {"id":7,"op":"extend","session":"w1","now_ms":1893456010000,"job_id":"j1","token":"t1","lease_ms":30000}
    < {"id":7,"ok":{"expires_at_ms":1893456040000}}
    > {"id":8,"op":"get","session":"p1","now_ms":1893456010000,"job_id":"j1"}
    < {"id":8,"ok":{"job":{"id":"j1","queue":"mail","type":"send","payload":"aGVsbG8=","attempts":0,"state":"leased","lease":{"token":"t1","expires_at_ms":1893456040000,"worker":null}}}}
    > {"id":9,"op":"ack","session":"w1","now_ms":1893456040000,"job_id":"j1","token":"t1"}
    < {"id":9,"error":{"code":"lease_lost","reason":"expired","message":"the lease of j1 is over"}}
    > {"id":10,"op":"pause","session":"p1","now_ms":1893456040000,"queue":"mail"}
    < {"id":10,"error":{"code":"unsupported","message":"this queue cannot be paused"}}
    > {"id":11,"op":"close","session":"w1"}
    < {"id":11,"ok":{}}
    > {"id":12,"op":"teardown","namespace":"assay_1"}
    < {"id":12,"ok":{}}
)md";

// Some operations have the name of an object, so an object's heading says that it is one.
std::string object_link(std::string_view name) {
  return fmt::format("[{}](#object-{})", name, name);
}

std::string type_of(const Field& field) {
  switch (field.type) {
    case Type::text:
      return "text";
    case Type::number:
    case Type::seed:
      return "number";
    case Type::flag:
      return "true or false";
    case Type::bytes:
      return "base64";
    case Type::instant:
      return "instant";
    case Type::duration:
      return "duration";
    case Type::name:
      return fmt::format("[{}](#{})", field.of, field.of);
    case Type::object:
      return object_link(field.of);
    case Type::objects:
      return "list of " + object_link(field.of);
    case Type::texts:
      return "list of texts";
    case Type::anything:
      return "object";
    case Type::profile:
      return "[profile](#the-profile)";
  }
  return "";
}

std::string fields_table(std::string_view title, std::span<const Field> fields) {
  if (fields.empty()) return "";
  std::string out = "\n" + head({std::string(title), "type", "", "meaning"});
  for (const Field& field : fields)
    out += row({code(field.name), type_of(field),
                field.need == Need::required ? "required" : "optional", cell(field.meaning)});
  return out;
}

std::string operation_section(const Operation& operation) {
  std::string out = fmt::format("\n### `{}`\n\n{}\n", operation.name, operation.note);
  out += fields_table("request", operation.request);
  out += fields_table("ok", operation.ok);
  if (operation.ok.empty()) out += "\nOk: `{}`.\n";
  return out;
}

std::string operations_of(Phase phase) {
  std::string out;
  for (const Operation& operation : operations())
    if (operation.phase == phase) out += operation_section(operation);
  return out;
}

std::string objects_section() {
  std::string out = "\n## Objects\n";
  for (const Object& object : objects())
    out += fmt::format("\n### Object `{}`\n\n{}\n", object.name, object.meaning) +
           fields_table("field", object.fields);
  return out;
}

std::string names_section(const Names& names) {
  std::string out = fmt::format("\n### {}\n\n", names.name) + head({"name", "meaning"});
  for (const Name& name : names.values) out += row({code(name.name), cell(name.meaning)});
  return out;
}

std::string knobs_table() {
  std::string out = "\n" + head({"knob", "values"});
  for (const Knob& knob : knobs()) {
    std::string values;
    for (const KnobValue& value : knob.values)
      values += (values.empty() ? "" : ", ") + code(value.name);
    out += row({code(knob.name), values});
  }
  return out;
}

std::string numbers_table() {
  std::string out = "\n" + head({"number", "at least", "meaning"});
  for (const ProfileNumber& number : profile_numbers())
    out += row({code(number.field), std::to_string(number.least), cell(number.meaning)});
  out += row({code("done_retention_ms"), "0", "How long a done job is kept; null: not said."});
  return out;
}

std::string capabilities_table() {
  std::string out = "\n" + head({"capability", "meaning"});
  for (const Capability& capability : capabilities())
    out += row({code(capability.name), cell(capability.meaning)});
  return out;
}

}  // namespace

std::string protocol_page() {
  std::string page(opening);
  page += life;
  page += operations_of(Phase::life);
  page += "\n## Operations of a session\n\nBeside their own fields all of them have these:\n";
  page += fields_table("request", session_fields());
  page += operations_of(Phase::operation);
  page += objects_section();
  page += "\n## Names\n";
  page += names_section(*find_names("state"));
  page += names_section(*find_names("role"));
  page += profile_text;
  page += knobs_table() + numbers_table() + capabilities_table();
  page += errors_text;
  page += names_section(*find_names("code"));
  page += names_section(*find_names("reason"));
  page += "\nOf `reason`s the first in this order that is true is told.\n";
  page += trouble_text;
  page += processes;
  page += example;
  return page;
}

}  // namespace assay::cli
