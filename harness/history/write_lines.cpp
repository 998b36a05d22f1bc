#include <algorithm>

#include "harness/contract/base64.h"
#include "harness/history/detail/lines.h"
#include "harness/history/jsonl.h"
#include "harness/history/payload.h"

namespace assay {
namespace detail {
namespace {

void write_payload(JsonObject& object, std::string_view payload) {
  if (payload.starts_with(payload_digest_marker)) {
    object.text("payload_digest", payload.substr(payload_digest_marker.size()));
  } else {
    std::string& out = object.member("payload");
    out += '"';
    out += base64(payload);
    out += '"';
  }
}

void write_job_members(JsonObject& object, const Job& job) {
  object.text("id", job.id);
  object.text("queue", job.queue);
  object.text("type", job.type);
  write_payload(object, job.payload);
  object.instant("run_at_ms", job.run_at);
  object.number("max_attempts", job.max_attempts);
  object.duration("timeout_ms", job.timeout);
  object.text("key", job.key);
  object.number("priority", job.priority);
  object.number("attempts", job.attempts);
  object.text("last_error", job.last_error);
  object.instant("created_at_ms", job.created_at);
  object.text("state", name_of(job.state));
}

void write_job(std::string& out, const Job& job) {
  JsonObject object(out);
  write_job_members(object, job);
  object.end();
}

void write_new_job(std::string& out, const NewJob& job) {
  JsonObject object(out);
  object.text("id", job.id);
  object.text("queue", job.queue);
  object.text("type", job.type);
  write_payload(object, job.payload);
  object.instant("run_at_ms", job.run_at);
  object.number("max_attempts", job.max_attempts);
  object.duration("timeout_ms", job.timeout);
  object.text("key", job.key);
  object.number("priority", job.priority);
  object.number("attempts", job.attempts);
  object.end();
}

void write_view(std::string& out, const JobView& view) {
  JsonObject object(out);
  write_job_members(object, view.job);
  if (view.lease) {
    JsonObject lease(object.member("lease"));
    lease.text("token", view.lease->token);
    lease.instant("expires_at_ms", view.lease->expires_at);
    lease.text("worker", view.lease->worker);
    lease.end();
  }
  if (view.dead) {
    JsonObject dead(object.member("dead"));
    dead.text("reason", view.dead->reason);
    dead.text("error", view.dead->error);
    dead.instant("at_ms", view.dead->at);
    dead.end();
  }
  object.end();
}

void write_claim(std::string& out, const Claim& claim) {
  JsonObject object(out);
  write_job(object.member("job"), claim.job);
  object.text("token", claim.token);
  object.number("attempt", claim.attempt);
  object.number("version", claim.version);
  object.instant("expires_at_ms", claim.expires_at);
  object.end();
}

void write_entry(std::string& out, const DeadEntry& entry) {
  JsonObject object(out);
  object.text("job_id", entry.job_id);
  write_job(object.member("job"), entry.job);
  object.text("reason", entry.reason);
  object.text("error", entry.error);
  object.instant("at_ms", entry.at);
  object.end();
}

struct RequestWriter {
  JsonObject& object;

  void hold(const Hold& hold) {
    job_id(hold.job_id);
    object.text("token", hold.token);
    object.number("attempt", hold.attempt);
  }
  void job_id(const JobId& id) { object.text("job_id", id); }
  void queue(const std::string& name) { object.text("queue", name); }
  void error(const std::string& text) { object.text("error", text); }

  void operator()(const Enqueue& r) { write_new_job(object.member("job"), r.job); }
  void operator()(const Reserve& r) {
    object.texts("queues", r.queues);
    object.duration("lease_ms", r.lease);
    object.text("worker", r.worker);
    object.number("max", r.max);
    object.text("job_id", r.job_id);
  }
  void operator()(const Extend& r) {
    hold(r.hold);
    object.duration("lease_ms", r.lease);
  }
  void operator()(const Ack& r) { hold(r.hold); }
  void operator()(const Retry& r) {
    hold(r.hold);
    object.instant("run_at_ms", r.run_at);
    object.number("attempts", r.attempts);
    error(r.error);
  }
  void operator()(const Fail& r) {
    hold(r.hold);
    object.number("attempts", r.attempts);
    object.text("reason", r.reason);
    error(r.error);
  }
  void operator()(const Nack& r) {
    hold(r.hold);
    error(r.error);
    object.flag("unrecoverable", r.unrecoverable);
  }
  void operator()(const Cancel& r) { job_id(r.job_id); }
  void operator()(const Pause& r) { queue(r.queue); }
  void operator()(const Resume& r) { queue(r.queue); }
  void operator()(const Get& r) { job_id(r.job_id); }
  void operator()(const List& r) {
    queue(r.queue);
    if (r.state) object.text("state", name_of(*r.state));
    object.number("limit", r.limit);
    object.text("cursor", r.cursor);
  }
  void operator()(const Dead& r) {
    queue(r.queue);
    object.number("limit", r.limit);
    object.text("cursor", r.cursor);
  }
  void operator()(const Requeue& r) {
    job_id(r.job_id);
    object.instant("run_at_ms", r.run_at);
    object.flag("reset_attempts", r.reset_attempts);
  }
  void operator()(const Close&) {}
};

struct ResponseWriter {
  JsonObject& object;

  void operator()(const Done&) {}
  void operator()(const Enqueued& r) {
    object.text("id", r.id);
    object.flag("existed", r.existed);
  }
  void operator()(const Claims& r) { append_array(object.member("claims"), r.claims, write_claim); }
  void operator()(const Extended& r) { object.instant("expires_at_ms", r.expires_at); }
  void operator()(const Nacked& r) {
    object.text("state", name_of(r.state));
    object.instant("run_at_ms", r.run_at);
  }
  void operator()(const Cancelled& r) { object.text("state", name_of(r.state)); }
  void operator()(const JobView& r) { write_view(object.member("job"), r); }
  void operator()(const JobPage& r) {
    append_array(object.member("jobs"), r.jobs, write_job);
    object.text("cursor", r.cursor);
  }
  void operator()(const DeadPage& r) {
    append_array(object.member("entries"), r.entries, write_entry);
    object.text("cursor", r.cursor);
  }
  void operator()(const Requeued& r) { object.text("job_id", r.job_id); }
};

}  // namespace

void write_request(JsonObject& object, const Request& request) {
  std::visit(RequestWriter{object}, request);
}

void write_response(std::string& out, const Response& response) {
  JsonObject object(out);
  std::visit(ResponseWriter{object}, response);
  object.end();
}

}  // namespace detail

namespace {

using detail::JsonObject;

constexpr std::string_view name_of(OutcomeKind outcome) {
  return outcome == OutcomeKind::ok        ? "ok"
         : outcome == OutcomeKind::refused ? "refused"
                                           : "unknown";
}

struct EventWriter {
  JsonObject& object;
  std::span<const std::string> clients;

  void operator()(const CallEvent& event) {
    object.text("kind", "call");
    object.unsigned_number("op", event.op);
    client(event.client);
    object.instant("now_ms", event.now);
    object.text("request", name_of(event.request));
    detail::write_request(object, event.request);
  }

  // By name only where the name leads back to the same client.
  void client(int index) {
    const auto at = static_cast<std::size_t>(index);
    if (at < clients.size() && std::find(clients.begin(), clients.end(), clients[at]) ==
                                   clients.begin() + static_cast<std::ptrdiff_t>(at))
      object.text("client", clients[at]);
    else
      object.number("client", index);
  }

  void operator()(const ReturnEvent& event) {
    object.text("kind", "return");
    object.unsigned_number("op", event.op);
    object.text("outcome", name_of(event.outcome));
    if (event.outcome == OutcomeKind::ok) {
      detail::write_response(object.member("ok"), event.response);
      return;
    }
    JsonObject error(object.member("error"));
    error.text("code", assay::name_of(event.error.code));
    if (event.error.reason != LeaseReason::unstated)
      error.text("reason", assay::name_of(event.error.reason));
    error.text("message", event.error.message);
    if (event.error.definite) error.flag("definite", *event.error.definite);
    error.end();
  }

  void operator()(const ClockEvent& event) {
    object.text("kind", "clock");
    object.instant("now_ms", event.now);
  }
};

}  // namespace

std::string event_line(const Event& event, std::span<const std::string> clients) {
  std::string line;
  JsonObject object(line);
  std::visit(EventWriter{object, clients}, event);
  object.end();
  return line;
}

}  // namespace assay
