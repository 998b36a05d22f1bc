#include <fmt/format.h>

#include <nlohmann/json.hpp>

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
  const auto state = job_state_from(fields.text("state"));
  if (!state) fields.wrong("state", "is not a state of a job");
  return *state;
}

// The parts of requests and responses.
template <class Fields>
struct Reader {
  PayloadReader<Fields> read_payload;

  // `unsaid` is the state that goes without saying where the job is shown.
  Job job(Fields& f, std::optional<JobState> unsaid) {
    const bool tolerant = f.tolerant();
    return {.id = f.text("id"),
            .queue = f.text("queue"),
            .type = f.text("type"),
            .payload = read_payload(f),
            .run_at = f.maybe_instant("run_at_ms"),
            .max_attempts = f.maybe_number("max_attempts"),
            .timeout = f.maybe_duration("timeout_ms"),
            .key = f.maybe_text("key"),
            .priority = tolerant ? f.number_or("priority", 0) : f.number("priority"),
            .attempts = tolerant ? f.number_or("attempts", 0) : f.number("attempts"),
            .last_error = f.maybe_text("last_error"),
            .created_at = f.maybe_instant("created_at_ms"),
            .state = tolerant && unsaid && !f.has("state") ? *unsaid : read_state(f)};
  }

  Job whole_job(Fields f, std::optional<JobState> unsaid) {
    Job read = job(f, unsaid);
    f.finish();
    return read;
  }

  NewJob new_job(Fields f) {
    NewJob job{.id = f.maybe_text("id"),
               .queue = f.text("queue"),
               .type = f.text("type"),
               .payload = read_payload(f),
               .run_at = f.maybe_instant("run_at_ms"),
               .max_attempts = f.maybe_number("max_attempts"),
               .timeout = f.maybe_duration("timeout_ms"),
               .key = f.maybe_text("key"),
               .priority = f.maybe_number("priority"),
               .attempts = f.maybe_number("attempts")};
    f.finish();
    return job;
  }

  // Lease and obituary stand within the job; others may put them beside it.
  JobView view(Fields& beside) {
    Fields f = beside.object("job");
    JobView view{job(f, std::nullopt), std::nullopt, std::nullopt};
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

  Claim claim(Fields f) {
    Claim claim{whole_job(f.object("job"), JobState::leased), f.text("token"),
                f.maybe_number("attempt"), f.maybe_number("version"), f.instant("expires_at_ms")};
    f.finish();
    return claim;
  }

  DeadEntry entry(Fields f) {
    DeadEntry entry{f.text("job_id"), whole_job(f.object("job"), JobState::dead), reason(f),
                    f.maybe_text("error"), f.instant("at_ms")};
    f.finish();
    return entry;
  }

  template <class Read>
  auto all(Fields& f, std::string_view name, Read read) {
    std::vector<decltype(read(std::declval<Fields>()))> read_ones;
    for (const auto& element : f.array(name))
      read_ones.push_back(read(f.element(element, name, read_ones.size())));
    return read_ones;
  }
};

// One for each request, in the order of the variant.
template <class Fields>
struct RequestReader {
  Fields& f;
  Reader<Fields> reader;

  Hold hold() { return {f.text("job_id"), f.text("token"), f.maybe_number("attempt")}; }
  std::int64_t number(std::string_view name, std::int64_t unsaid) {
    return f.tolerant() ? f.number_or(name, unsaid) : f.number(name);
  }
  std::string text(std::string_view name) {
    return f.tolerant() ? f.text_or(name, "") : f.text(name);
  }
  bool flag(std::string_view name) { return f.tolerant() ? f.flag_or(name, false) : f.flag(name); }

  void operator()(Enqueue& r) { r.job = reader.new_job(f.object("job")); }
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

// By name; nothing where there is no such request.
template <std::size_t... I>
std::optional<Request> empty_request(std::string_view name, std::index_sequence<I...>) {
  static const std::string_view names[] = {name_of(Request(std::in_place_index<I>))...};
  std::optional<Request> found;
  const auto offer = [&]<std::size_t N>() {
    if (names[N] == name) found.emplace(std::in_place_index<N>);
    return found.has_value();
  };
  static_cast<void>((offer.template operator()<I>() || ...));
  return found;
}

std::optional<Request> empty_request(std::string_view name) {
  return empty_request(name, std::make_index_sequence<std::variant_size_v<Request>>());
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
    return Claims{reader.all(f, "claims", [&](Fields one) { return reader.claim(one); })};
  }
  Response operator()(const Extend&) { return Extended{f.instant("expires_at_ms")}; }
  Response operator()(const Nack&) { return Nacked{read_state(f), f.maybe_instant("run_at_ms")}; }
  Response operator()(const Cancel&) { return Cancelled{read_state(f)}; }
  Response operator()(const Get&) { return reader.view(f); }
  Response operator()(const List&) {
    return JobPage{
        reader.all(f, "jobs", [&](Fields one) { return reader.whole_job(one, std::nullopt); }),
        f.maybe_text("cursor")};
  }
  Response operator()(const Dead&) {
    return DeadPage{reader.all(f, "entries", [&](Fields one) { return reader.entry(one); }),
                    f.maybe_text("cursor")};
  }
  Response operator()(const Requeue&) { return Requeued{f.text("job_id")}; }
  template <class Other>
  Response operator()(const Other&) {
    return Done{};
  }
};

}  // namespace

bool is_request(std::string_view name) { return empty_request(name).has_value(); }

template <class Fields>
Request read_request(Fields& fields, std::string_view name,
                     PayloadReader<std::type_identity_t<Fields>> read_payload) {
  auto request = empty_request(name);
  if (!request) fields.wrong("request", fmt::format("\"{}\" is not a request", name));
  std::visit(RequestReader<Fields>{fields, {read_payload}}, *request);
  return std::move(*request);
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
template Request read_request(Fields&, std::string_view, PayloadReader<Fields>);
template Request read_request(QuickFields&, std::string_view, PayloadReader<QuickFields>);
template Response read_response(Fields&, const Request&, PayloadReader<Fields>);
template Response read_response(QuickFields&, const Request&, PayloadReader<QuickFields>);
template Error read_error(Fields);
template Error read_error(QuickFields);

}  // namespace assay::detail
