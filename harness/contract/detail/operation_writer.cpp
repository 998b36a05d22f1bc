#include "harness/contract/base64.h"
#include "harness/contract/detail/operation_json.h"

namespace assay::detail {

void write_whole_payload(JsonObject& object, std::string_view payload) {
  std::string& out = object.member("payload");
  out += '"';
  out += base64(payload);
  out += '"';
}

namespace {

void write_job_members(JsonObject& object, const Job& job, PayloadWriter write_payload) {
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

void write_job(std::string& out, const Job& job, PayloadWriter write_payload) {
  JsonObject object(out);
  write_job_members(object, job, write_payload);
  object.end();
}

void write_new_job(std::string& out, const NewJob& job, PayloadWriter write_payload) {
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

void write_view(std::string& out, const JobView& view, PayloadWriter write_payload) {
  JsonObject object(out);
  write_job_members(object, view.job, write_payload);
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

void write_claim(std::string& out, const Claim& claim, PayloadWriter write_payload) {
  JsonObject object(out);
  write_job(object.member("job"), claim.job, write_payload);
  object.text("token", claim.token);
  object.number("attempt", claim.attempt);
  object.number("version", claim.version);
  object.instant("expires_at_ms", claim.expires_at);
  object.end();
}

void write_entry(std::string& out, const DeadEntry& entry, PayloadWriter write_payload) {
  JsonObject object(out);
  object.text("job_id", entry.job_id);
  write_job(object.member("job"), entry.job, write_payload);
  object.text("reason", entry.reason);
  object.text("error", entry.error);
  object.instant("at_ms", entry.at);
  object.end();
}

struct RequestWriter {
  JsonObject& object;
  PayloadWriter write_payload;

  void hold(const Hold& hold) {
    job_id(hold.job_id);
    object.text("token", hold.token);
    object.number("attempt", hold.attempt);
  }
  void job_id(const JobId& id) { object.text("job_id", id); }
  void queue(const std::string& name) { object.text("queue", name); }
  void error(const std::string& text) { object.text("error", text); }

  void operator()(const Enqueue& r) { write_new_job(object.member("job"), r.job, write_payload); }
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
  PayloadWriter write_payload;

  template <class Elements, class Write>
  void list(const char* name, const Elements& elements, Write write) {
    append_array(object.member(name), elements, [&](std::string& out, const auto& element) {
      write(out, element, write_payload);
    });
  }

  void operator()(const Done&) {}
  void operator()(const Enqueued& r) {
    object.text("id", r.id);
    object.flag("existed", r.existed);
  }
  void operator()(const Claims& r) { list("claims", r.claims, write_claim); }
  void operator()(const Extended& r) { object.instant("expires_at_ms", r.expires_at); }
  void operator()(const Nacked& r) {
    object.text("state", name_of(r.state));
    object.instant("run_at_ms", r.run_at);
  }
  void operator()(const Cancelled& r) { object.text("state", name_of(r.state)); }
  void operator()(const JobView& r) { write_view(object.member("job"), r, write_payload); }
  void operator()(const JobPage& r) {
    list("jobs", r.jobs, write_job);
    object.text("cursor", r.cursor);
  }
  void operator()(const DeadPage& r) {
    list("entries", r.entries, write_entry);
    object.text("cursor", r.cursor);
  }
  void operator()(const Requeued& r) { object.text("job_id", r.job_id); }
};

}  // namespace

void write_request(JsonObject& object, const Request& request, PayloadWriter write_payload) {
  std::visit(RequestWriter{object, write_payload}, request);
}

void write_response(std::string& out, const Response& response, PayloadWriter write_payload) {
  JsonObject object(out);
  std::visit(ResponseWriter{object, write_payload}, response);
  object.end();
}

void write_error(std::string& out, const Error& error) {
  JsonObject object(out);
  object.text("code", name_of(error.code));
  if (error.reason != LeaseReason::unstated) object.text("reason", name_of(error.reason));
  object.text("message", error.message);
  if (error.definite) object.flag("definite", *error.definite);
  object.end();
}

}  // namespace assay::detail
