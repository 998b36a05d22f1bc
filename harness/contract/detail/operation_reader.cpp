#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "harness/contract/base64.h"
#include "harness/contract/detail/operation_json.h"
#include "harness/contract/detail/quick_json.h"

namespace assay::detail {

template <class Fields>
std::string read_whole_payload(Fields& fields) {
  auto bytes = from_base64(fields.text("payload"));
  if (!bytes) fields.wrong("payload", "not valid base64");
  return std::move(*bytes);
}

namespace {

template <class Fields>
JobState read_state(Fields& fields) {
  const auto state = job_state_from(fields.word("state"));
  if (!state) fields.wrong("state", "is not a state of a job");
  return *state;
}

// The parts of requests and responses.
template <class Fields>
struct Reader {
  PayloadReader<Fields> read_payload;

  // `unsaid` is the state that goes without saying where the job is shown.
  void job(Fields& f, std::optional<JobState> unsaid, Job& to) {
    const bool tolerant = f.tolerant();
    to.id = f.text("id");
    to.queue = f.text("queue");
    to.type = f.text("type");
    to.payload = read_payload(f);
    to.run_at = f.maybe_instant("run_at_ms");
    to.max_attempts = f.maybe_number("max_attempts");
    to.timeout = f.maybe_duration("timeout_ms");
    to.key = f.maybe_text("key");
    to.priority = tolerant ? f.number_or("priority", 0) : f.number("priority");
    to.attempts = tolerant ? f.number_or("attempts", 0) : f.number("attempts");
    to.last_error = f.maybe_text("last_error");
    to.created_at = f.maybe_instant("created_at_ms");
    to.state = tolerant && unsaid && !f.has("state") ? *unsaid : read_state(f);
  }

  void whole_job(Fields f, std::optional<JobState> unsaid, Job& to) {
    job(f, unsaid, to);
    f.finish();
  }

  void new_job(Fields f, NewJob& to) {
    to.id = f.maybe_text("id");
    to.queue = f.text("queue");
    to.type = f.text("type");
    to.payload = read_payload(f);
    to.run_at = f.maybe_instant("run_at_ms");
    to.max_attempts = f.maybe_number("max_attempts");
    to.timeout = f.maybe_duration("timeout_ms");
    to.key = f.maybe_text("key");
    to.priority = f.maybe_number("priority");
    to.attempts = f.maybe_number("attempts");
    f.finish();
  }

  // Lease and obituary stand within the job; others may put them beside it.
  JobView view(Fields& beside) {
    Fields f = beside.object("job");
    JobView view;
    job(f, std::nullopt, view.job);
    for (Fields* where : {&f, &beside}) {
      if (!view.lease && where->has("lease")) view.lease = lease(where->object("lease"));
      if (!view.dead && where->has("dead")) view.dead = obituary(where->object("dead"));
      if (!f.tolerant()) break;
    }
    f.finish();
    return view;
  }

  static LeaseView lease(Fields f) {
    LeaseView lease{f.text("token"), f.instant("expires_at_ms"), f.maybe_text("worker")};
    f.finish();
    return lease;
  }

  static DeadView obituary(Fields f) {
    DeadView dead{reason(f), f.maybe_text("error"), f.instant("at_ms")};
    f.finish();
    return dead;
  }

  static std::string reason(Fields& f) {
    return f.tolerant() ? f.text_or("reason", "") : f.text("reason");
  }

  void claim(Fields f, Claim& to) {
    whole_job(f.object("job"), JobState::leased, to.job);
    to.token = f.text("token");
    to.attempt = f.maybe_number("attempt");
    to.version = f.maybe_number("version");
    to.expires_at = f.instant("expires_at_ms");
    f.finish();
  }

  void entry(Fields f, DeadEntry& to) {
    to.job_id = f.text("job_id");
    whole_job(f.object("job"), JobState::dead, to.job);
    to.reason = reason(f);
    to.error = f.maybe_text("error");
    to.at = f.instant("at_ms");
    f.finish();
  }

  template <class T, class Read>
  void all(Fields& f, const typename Fields::Name& name, std::vector<T>& to, Read read) {
    for (const auto& element : f.array(name)) {
      Fields one = f.element(element, name, to.size());
      read(one, to.emplace_back());
    }
  }
};

// One for each request, in the order of the variant.
template <class Fields>
struct RequestReader {
  Fields& f;
  Reader<Fields> reader;

  Hold hold() { return {f.text("job_id"), f.text("token"), f.maybe_number("attempt")}; }
  using Name = typename Fields::Name;
  std::int64_t number(const Name& name, std::int64_t unsaid) {
    return f.tolerant() ? f.number_or(name, unsaid) : f.number(name);
  }
  std::string text(const Name& name) { return f.tolerant() ? f.text_or(name, "") : f.text(name); }
  bool flag(const Name& name) { return f.tolerant() ? f.flag_or(name, false) : f.flag(name); }

  void operator()(Enqueue& r) { reader.new_job(f.object("job"), r.job); }
  void operator()(Reserve& r) {
    r = {f.texts("queues"), f.duration("lease_ms"), text("worker"), number("max", 1),
         f.maybe_text("job_id")};
  }
  void operator()(Extend& r) { r = {hold(), f.duration("lease_ms")}; }
  void operator()(Ack& r) { r = {hold()}; }
  void operator()(Retry& r) {
    r = {hold(), f.instant("run_at_ms"), f.number("attempts"), text("error")};
  }
  void operator()(Fail& r) { r = {hold(), f.number("attempts"), text("reason"), text("error")}; }
  void operator()(Nack& r) { r = {hold(), text("error"), flag("unrecoverable")}; }
  void operator()(Cancel& r) { r = {f.text("job_id")}; }
  void operator()(Pause& r) { r = {f.text("queue")}; }
  void operator()(Resume& r) { r = {f.text("queue")}; }
  void operator()(Get& r) { r = {f.text("job_id")}; }
  void operator()(List& r) {
    r.queue = f.text("queue");
    if (f.has("state")) r.state = read_state(f);
    r.limit = number("limit", r.limit);
    r.cursor = f.maybe_text("cursor");
  }
  void operator()(Dead& r) {
    r = {f.text("queue"), number("limit", r.limit), f.maybe_text("cursor")};
  }
  void operator()(Requeue& r) {
    r = {f.text("job_id"), f.maybe_instant("run_at_ms"), flag("reset_attempts")};
  }
  void operator()(Close&) {}
};

// One of each, in the order of the variant.
template <std::size_t... I>
std::span<const Request> empty_requests(std::index_sequence<I...>) {
  static const Request all[] = {Request(std::in_place_index<I>)...};
  return all;
}
std::span<const Request> empty_requests() {
  return empty_requests(std::make_index_sequence<std::variant_size_v<Request>>());
}

// By name; null where there is no such request.
const Request* empty_request(std::string_view name) {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Request& each : empty_requests()) all.push_back(name_of(each));
    return all;
  }();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return &empty_requests()[i];
  return nullptr;
}

// The answer that belongs to each request.
template <class Fields>
struct ResponseReader {
  Fields& f;
  Reader<Fields> reader;

  Response operator()(const Enqueue&) {
    return Enqueued{f.text("id"), f.tolerant() ? f.flag_or("existed", false) : f.flag("existed")};
  }
  Response operator()(const Reserve&) {
    Claims read;
    reader.all(f, "claims", read.claims, [&](Fields& one, Claim& to) { reader.claim(one, to); });
    return read;
  }
  Response operator()(const Extend&) { return Extended{f.instant("expires_at_ms")}; }
  Response operator()(const Nack&) { return Nacked{read_state(f), f.maybe_instant("run_at_ms")}; }
  Response operator()(const Cancel&) { return Cancelled{read_state(f)}; }
  Response operator()(const Get&) { return reader.view(f); }
  Response operator()(const List&) {
    JobPage read;
    reader.all(f, "jobs", read.jobs,
               [&](Fields& one, Job& to) { reader.whole_job(one, std::nullopt, to); });
    read.cursor = f.maybe_text("cursor");
    return read;
  }
  Response operator()(const Dead&) {
    DeadPage read;
    reader.all(f, "entries", read.entries,
               [&](Fields& one, DeadEntry& to) { reader.entry(one, to); });
    read.cursor = f.maybe_text("cursor");
    return read;
  }
  Response operator()(const Requeue&) { return Requeued{f.text("job_id")}; }
  template <class Other>
  Response operator()(const Other&) {
    return Done{};
  }
};

}  // namespace

bool is_request(std::string_view name) { return empty_request(name) != nullptr; }

const Request& empty_like(const Request& request) { return empty_requests()[request.index()]; }

template <class Fields>
bool read_request(Fields& fields, std::string_view name,
                  PayloadReader<std::type_identity_t<Fields>> read_payload, Request& to) {
  const Request* const empty = empty_request(name);
  if (!empty) return false;
  const auto read = [&]<class R>(const R&) {
    RequestReader<Fields>{fields, {read_payload}}(to.template emplace<R>());
  };
  std::visit(read, *empty);
  return true;
}

template <class Fields>
Request read_request(Fields& fields, std::string_view name,
                     PayloadReader<std::type_identity_t<Fields>> read_payload) {
  Request request;
  if (!read_request(fields, name, read_payload, request))
    fields.wrong("request", fmt::format("\"{}\" is not a request", name));
  return request;
}

template <class Fields>
Response read_response(Fields& fields, const Request& request,
                       PayloadReader<std::type_identity_t<Fields>> read_payload) {
  return std::visit(ResponseReader<Fields>{fields, {read_payload}}, request);
}

template <class Fields>
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
  error.message = fields.tolerant() ? fields.text_or("message", "") : fields.text("message");
  if (fields.has("definite")) error.definite = fields.flag("definite");
  fields.finish();
  return error;
}

template std::string read_whole_payload(Fields&);
template std::string read_whole_payload(QuickFields&);
template bool read_request(Fields&, std::string_view, PayloadReader<Fields>, Request&);
template bool read_request(QuickFields&, std::string_view, PayloadReader<QuickFields>, Request&);
template Request read_request(Fields&, std::string_view, PayloadReader<Fields>);
template Request read_request(QuickFields&, std::string_view, PayloadReader<QuickFields>);
template Response read_response(Fields&, const Request&, PayloadReader<Fields>);
template Response read_response(QuickFields&, const Request&, PayloadReader<QuickFields>);
template Error read_error(Fields);
template Error read_error(QuickFields);

}  // namespace assay::detail
