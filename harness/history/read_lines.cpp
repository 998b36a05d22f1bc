#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/contract/base64.h"
#include "harness/history/detail/lines.h"
#include "harness/history/payload.h"

namespace assay::detail {
namespace {

std::string read_payload(Fields& fields) {
  if (fields.has("payload_digest"))
    return std::string(payload_digest_marker) + fields.text("payload_digest");
  auto bytes = from_base64(fields.text("payload"));
  if (!bytes) fields.wrong("payload", "not valid base64");
  return *bytes;
}

JobState read_state(Fields& fields) {
  const auto state = job_state_from(fields.text("state"));
  if (!state) fields.wrong("state", "is not a state of a job");
  return *state;
}

Job read_job(Fields& fields) {
  return {.id = fields.text("id"),
          .queue = fields.text("queue"),
          .type = fields.text("type"),
          .payload = read_payload(fields),
          .run_at = fields.maybe_instant("run_at_ms"),
          .max_attempts = fields.maybe_number("max_attempts"),
          .timeout = fields.maybe_duration("timeout_ms"),
          .key = fields.maybe_text("key"),
          .priority = fields.number("priority"),
          .attempts = fields.number("attempts"),
          .last_error = fields.maybe_text("last_error"),
          .created_at = fields.instant("created_at_ms"),
          .state = read_state(fields)};
}

Job read_whole_job(const nlohmann::json& object, const std::string& path) {
  Fields fields(object, path);
  Job job = read_job(fields);
  fields.finish();
  return job;
}

NewJob read_new_job(Fields fields) {
  NewJob job{.id = fields.maybe_text("id"),
             .queue = fields.text("queue"),
             .type = fields.text("type"),
             .payload = read_payload(fields),
             .run_at = fields.maybe_instant("run_at_ms"),
             .max_attempts = fields.maybe_number("max_attempts"),
             .timeout = fields.maybe_duration("timeout_ms"),
             .key = fields.maybe_text("key"),
             .priority = fields.maybe_number("priority"),
             .attempts = fields.maybe_number("attempts")};
  fields.finish();
  return job;
}

JobView read_view(Fields fields) {
  JobView view{read_job(fields), std::nullopt, std::nullopt};
  if (fields.has("lease")) {
    Fields lease = fields.object("lease");
    view.lease =
        LeaseView{lease.text("token"), lease.instant("expires_at_ms"), lease.maybe_text("worker")};
    lease.finish();
  }
  if (fields.has("dead")) {
    Fields dead = fields.object("dead");
    view.dead = DeadView{dead.text("reason"), dead.maybe_text("error"), dead.instant("at_ms")};
    dead.finish();
  }
  fields.finish();
  return view;
}

Claim read_claim(Fields fields) {
  Claim claim{read_whole_job(fields.any("job"), fields.path("job")), fields.text("token"),
              fields.maybe_number("attempt"), fields.maybe_number("version"),
              fields.instant("expires_at_ms")};
  fields.finish();
  return claim;
}

DeadEntry read_entry(Fields fields) {
  DeadEntry entry{fields.text("job_id"), read_whole_job(fields.any("job"), fields.path("job")),
                  fields.text("reason"), fields.maybe_text("error"), fields.instant("at_ms")};
  fields.finish();
  return entry;
}

template <class Read>
auto read_all(Fields& fields, std::string_view name, Read read) {
  std::vector<decltype(read(std::declval<const nlohmann::json&>(), std::string()))> all;
  for (const auto& element : fields.array(name))
    all.push_back(read(element, fmt::format("{}[{}]", fields.path(name), all.size())));
  return all;
}

Hold read_hold(Fields& fields) {
  return {fields.text("job_id"), fields.text("token"), fields.maybe_number("attempt")};
}

// One for each request, in the order of the variant.
struct RequestReader {
  Fields& f;

  void operator()(Enqueue& r) { r.job = read_new_job(f.object("job")); }
  void operator()(Reserve& r) {
    r = {f.texts("queues"), f.duration("lease_ms"), f.text("worker"), f.number("max"),
         f.maybe_text("job_id")};
  }
  void operator()(Extend& r) { r = {read_hold(f), f.duration("lease_ms")}; }
  void operator()(Ack& r) { r = {read_hold(f)}; }
  void operator()(Retry& r) {
    r = {read_hold(f), f.instant("run_at_ms"), f.number("attempts"), f.text("error")};
  }
  void operator()(Fail& r) {
    r = {read_hold(f), f.number("attempts"), f.text("reason"), f.text("error")};
  }
  void operator()(Nack& r) { r = {read_hold(f), f.text("error"), f.flag("unrecoverable")}; }
  void operator()(Cancel& r) { r = {f.text("job_id")}; }
  void operator()(Pause& r) { r = {f.text("queue")}; }
  void operator()(Resume& r) { r = {f.text("queue")}; }
  void operator()(Get& r) { r = {f.text("job_id")}; }
  void operator()(List& r) {
    r.queue = f.text("queue");
    if (f.has("state")) r.state = read_state(f);
    r.limit = f.number("limit");
    r.cursor = f.maybe_text("cursor");
  }
  void operator()(Dead& r) { r = {f.text("queue"), f.number("limit"), f.maybe_text("cursor")}; }
  void operator()(Requeue& r) {
    r = {f.text("job_id"), f.maybe_instant("run_at_ms"), f.flag("reset_attempts")};
  }
  void operator()(Close&) {}
};

template <std::size_t... I>
std::optional<Request> empty_request(std::string_view name, std::index_sequence<I...>) {
  std::optional<Request> found;
  const auto offer = [&](Request request) {
    if (name_of(request) == name) found = std::move(request);
  };
  (offer(Request(std::in_place_index<I>)), ...);
  return found;
}

// The answer that belongs to each request.
struct ResponseReader {
  Fields& f;

  Response operator()(const Enqueue&) { return Enqueued{f.text("id"), f.flag("existed")}; }
  Response operator()(const Reserve&) {
    return Claims{read_all(f, "claims", [](const auto& object, std::string path) {
      return read_claim({object, std::move(path)});
    })};
  }
  Response operator()(const Extend&) { return Extended{f.instant("expires_at_ms")}; }
  Response operator()(const Nack&) { return Nacked{read_state(f), f.maybe_instant("run_at_ms")}; }
  Response operator()(const Cancel&) { return Cancelled{read_state(f)}; }
  Response operator()(const Get&) { return read_view(f.object("job")); }
  Response operator()(const List&) {
    return JobPage{read_all(f, "jobs", read_whole_job), f.maybe_text("cursor")};
  }
  Response operator()(const Dead&) {
    return DeadPage{read_all(f, "entries",
                             [](const auto& object, std::string path) {
                               return read_entry({object, std::move(path)});
                             }),
                    f.maybe_text("cursor")};
  }
  Response operator()(const Requeue&) { return Requeued{f.text("job_id")}; }
  template <class Other>
  Response operator()(const Other&) {
    return Done{};
  }
};

Error read_error(Fields fields) {
  Error error;
  const auto code = error_code_from(fields.text("code"));
  if (!code) fields.wrong("code", "is not a code of an error");
  error.code = *code;
  if (fields.has("reason")) {
    const auto reason = lease_reason_from(fields.text("reason"));
    if (!reason) fields.wrong("reason", "is not a reason of a lost lease");
    error.reason = *reason;
  }
  error.message = fields.text("message");
  if (fields.has("definite")) error.definite = fields.flag("definite");
  fields.finish();
  return error;
}

}  // namespace

Request read_request(Fields& fields, std::string_view name) {
  auto request = empty_request(name, std::make_index_sequence<std::variant_size_v<Request>>());
  if (!request) fields.wrong("request", fmt::format("\"{}\" is not a request", name));
  std::visit(RequestReader{fields}, *request);
  return std::move(*request);
}

Response read_response(Fields& fields, const Request& request) {
  return std::visit(ResponseReader{fields}, request);
}

int EventReader::client(Fields& fields) const {
  if (fields.any("client").is_number()) {
    const int index = fields.small("client");
    if (index < 0 || static_cast<std::size_t>(index) >= clients_.size())
      fields.wrong("client", fmt::format("there is no client {}", index));
    return index;
  }
  const std::string name = fields.text("client");
  const auto found = std::find(clients_.begin(), clients_.end(), name);
  if (found == clients_.end())
    fields.wrong("client", fmt::format("the header names no client \"{}\"", name));
  return static_cast<int>(found - clients_.begin());
}

CallEvent EventReader::call(Fields& fields) {
  CallEvent event{fields.unsigned_number("op"), client(fields), fields.instant("now_ms"),
                  read_request(fields, fields.text("request"))};
  if (!open_.emplace(event.op, event.request).second)
    fields.wrong("op", fmt::format("operation {} has begun already", event.op));
  return event;
}

ReturnEvent EventReader::answer(Fields& fields) {
  ReturnEvent event;
  event.op = fields.unsigned_number("op");
  const auto call = open_.extract(event.op);
  if (call.empty())
    fields.wrong("op", fmt::format("operation {} has not begun, or has ended already", event.op));
  const std::string outcome = fields.text("outcome");
  if (outcome == "ok") {
    Fields ok = fields.object("ok");
    event.response = read_response(ok, call.mapped());
    ok.finish();
  } else if (outcome == "refused" || outcome == "unknown") {
    event.outcome = outcome == "refused" ? OutcomeKind::refused : OutcomeKind::unknown;
    event.error = read_error(fields.object("error"));
  } else {
    fields.wrong("outcome", "must be ok, refused or unknown");
  }
  return event;
}

Event EventReader::event(Fields& fields, std::string_view kind) {
  if (kind == "call") return call(fields);
  if (kind == "return") return answer(fields);
  if (kind == "clock") return ClockEvent{fields.instant("now_ms")};
  fields.wrong("kind", fmt::format("\"{}\" is not a kind of line", kind));
}

}  // namespace assay::detail
