#include "harness/plan/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/contract/detail/json_reader.h"
#include "harness/contract/detail/json_writer.h"
#include "harness/plan/detail/json_parts.h"

namespace assay {

using detail::Fields;
using detail::JsonObject;
using detail::Malformed;

static constexpr Duration default_lease{30'000};

static bool settles(StepKind kind) {
  return kind == StepKind::extend || kind == StepKind::ack || kind == StepKind::retry ||
         kind == StepKind::fail || kind == StepKind::nack;
}

static void write_queues(JsonObject& object, const std::vector<std::string>& queues) {
  if (queues.size() == 1)
    object.text("queue", queues.front());
  else if (!queues.empty())
    object.texts("queues", queues);
}

static void write_step(std::string& out, const Step& step, const Plan& plan) {
  JsonObject object(out);
  object.text("do", name_of(step.kind));
  if (!is_of_the_world(step.kind) || step.client != 0 || (step.fault && !step.fault->everybody))
    object.text("client", plan.clients[static_cast<std::size_t>(step.client)].name);
  if (step.worker >= 0)
    object.text("worker", plan.workers[static_cast<std::size_t>(step.worker)].name);
  if (step.free) object.flag("free", true);
  if (step.cut) {
    JsonObject cut(object.member("cut"));
    cut.number("at", step.cut->at);
    cut.text("where", name_of(step.cut->where));
    cut.end();
  }
  if (step.slot != -1) object.number("slot", step.slot);
  if (step.job.kind != JobRef::Kind::none) detail::write_job_ref(object.member("job"), step.job);
  if (settles(step.kind) || step.token != TokenRef{})
    detail::write_token_ref(object.member("token"), step.token);
  object.number("attempt_offset", step.attempt_offset);
  object.text("id", step.id);
  write_queues(object, step.queues);
  if (!step.type.empty()) object.text("type", step.type);
  if (step.payload != PayloadSpec{}) detail::write_payload(object.member("payload"), step.payload);
  if (step.when) detail::write_when(object.member("when"), *step.when);
  object.number("limit", step.limit);
  object.duration("timeout_ms", step.timeout);
  object.text("key", step.key);
  object.number("priority", step.priority);
  if (step.announced) object.flag("announced", true);
  if (step.lease != default_lease) object.duration("lease_ms", step.lease);
  if (step.max != 1) object.number("max", step.max);
  object.number("attempts", step.attempts);
  if (!step.error.empty()) object.text("error", step.error);
  if (!step.reason.empty()) object.text("reason", step.reason);
  if (step.unrecoverable) object.flag("unrecoverable", true);
  if (step.reset_attempts) object.flag("reset_attempts", true);
  if (step.state) object.text("state", name_of(*step.state));
  if (step.next_page) object.flag("next_page", true);
  object.text("cursor", step.cursor);
  if (!step.what.empty()) object.text("what", step.what);
  if (step.fault) object.text("fault", step.fault->name);
  if (step.fault && !step.fault->with.empty()) {
    JsonObject with(object.member("with"));
    for (const auto& [name, number] : step.fault->with) with.number(name, number);
    with.end();
  }
  object.end();
}

static void write_worker(std::string& out, const WorkerSpec& worker) {
  static const WorkerSpec usual;
  JsonObject object(out);
  object.text("name", worker.name);
  if (worker.kind != usual.kind) object.text("kind", name_of(worker.kind));
  object.texts("queues", worker.queues);
  if (worker.concurrency != usual.concurrency) object.number("concurrency", worker.concurrency);
  object.duration("lease_ms", worker.lease);
  object.duration("timeout_ms", worker.timeout);
  object.number("most_runs", worker.most_runs);
  if (worker.type_limit) object.number("type_limit", *worker.type_limit);
  object.duration("rate_every_ms", worker.rate_every);
  if (worker.group_acks) object.flag("group_acks", true);
  if (worker.grace != usual.grace) object.duration("grace_ms", worker.grace);
  if (worker.interruption != usual.interruption)
    object.duration("interruption_ms", worker.interruption);
  if (worker.hears) object.flag("hears", true);
  if (!worker.looks_itself) object.flag("looks_itself", false);
  if (worker.outbox) object.flag("outbox", true);
  object.duration("every_ms", worker.every);
  if (worker.hands_events) object.flag("hands_events", true);
  object.end();
}

std::string to_json(const Plan& plan) {
  CHECK(validate(plan).ok());
  std::string out;
  JsonObject object(out);
  object.text("name", plan.name);
  detail::append_array(object.member("clients"), plan.clients,
                       [](std::string& to, const ClientSpec& who) {
                         JsonObject client(to);
                         client.text("name", who.name);
                         client.text("role", name_of(who.role));
                         client.end();
                       });
  if (!plan.workers.empty())
    detail::append_array(object.member("workers"), plan.workers, write_worker);
  std::string& steps = object.member("steps");
  detail::append_array(steps, plan.steps, [&](std::string& to, const Step& step) {
    to += '\n';
    write_step(to, step, plan);
  });
  if (plan.schedule) detail::write_schedule(object.member("schedule"), *plan.schedule);
  object.end();
  return out;
}

namespace {

std::vector<ClientSpec> read_clients(Fields& plan) {
  std::vector<ClientSpec> clients;
  for (const auto& element : plan.array("clients")) {
    Fields client(element, fmt::format("clients[{}]", clients.size()));
    const auto role = role_from(client.has("role") ? client.text("role") : "worker");
    if (!role) client.wrong("role", "must be producer, worker or admin");
    clients.push_back({client.text("name"), *role});
    client.finish();
  }
  return clients;
}

std::vector<WorkerSpec> read_workers(Fields& plan) {
  std::vector<WorkerSpec> workers;
  if (!plan.has("workers")) return workers;
  for (const auto& element : plan.array("workers")) {
    Fields fields(element, fmt::format("workers[{}]", workers.size()));
    WorkerSpec worker;
    worker.name = fields.text("name");
    const auto kind = worker_kind_from(fields.maybe_text("kind").value_or("worker"));
    if (!kind) fields.wrong("kind", "must be worker, dispatcher, scheduler or caller");
    worker.kind = *kind;
    worker.queues = fields.texts("queues");
    if (fields.has("concurrency")) worker.concurrency = fields.small("concurrency");
    worker.lease = fields.maybe_duration("lease_ms");
    worker.timeout = fields.maybe_duration("timeout_ms");
    worker.most_runs = fields.maybe_number("most_runs");
    if (fields.has("type_limit")) worker.type_limit = fields.small("type_limit");
    worker.rate_every = fields.maybe_duration("rate_every_ms");
    worker.group_acks = fields.flag_or("group_acks", false);
    worker.grace = fields.maybe_duration("grace_ms").value_or(worker.grace);
    worker.interruption = fields.maybe_duration("interruption_ms").value_or(worker.interruption);
    worker.hears = fields.flag_or("hears", false);
    worker.looks_itself = fields.flag_or("looks_itself", true);
    worker.outbox = fields.flag_or("outbox", false);
    worker.every = fields.maybe_duration("every_ms");
    worker.hands_events = fields.flag_or("hands_events", false);
    workers.push_back(std::move(worker));
    fields.finish();
  }
  return workers;
}

int read_worker(Fields& step, const Plan& plan) {
  if (!step.has("worker")) return -1;
  const std::string name = step.text("worker");
  for (std::size_t i = 0; i < plan.workers.size(); ++i)
    if (plan.workers[i].name == name) return static_cast<int>(i);
  step.wrong("worker", fmt::format("the plan has no worker \"{}\"", name));
}

int read_client(Fields& step, const Plan& plan) {
  const std::string name = step.text("client");
  for (std::size_t i = 0; i < plan.clients.size(); ++i)
    if (plan.clients[i].name == name) return static_cast<int>(i);
  step.wrong("client", fmt::format("the plan has no client \"{}\"", name));
}

std::vector<std::string> read_queues(Fields& step) {
  if (step.has("queue") && step.has("queues")) step.wrong("queues", "there is a queue already");
  if (step.has("queue")) return {step.text("queue")};
  return step.has("queues") ? step.texts("queues") : std::vector<std::string>();
}

Cut read_cut(Fields fields) {
  Cut cut{fields.small("at"), CutPoint::before_delivery};
  if (cut.at < 1) fields.wrong("at", "must be 1 or more");
  const auto where = cut_point_from(fields.text("where"));
  if (!where) fields.wrong("where", "must be before_delivery, after_delivery or after_effect");
  cut.where = *where;
  fields.finish();
  return cut;
}

void read_references(Fields& fields, Step& step) {
  if (fields.has("job")) step.job = detail::read_job_ref(fields.object("job"));
  if (fields.has("token")) step.token = detail::read_token_ref(fields.object("token"));
  if (fields.has("when")) step.when = detail::read_when(fields.object("when"));
  if (fields.has("cut")) step.cut = read_cut(fields.object("cut"));
  if (fields.has("payload")) step.payload = detail::read_payload(fields, "payload");
}

void read_texts(Fields& fields, Step& step) {
  step.id = fields.maybe_text("id");
  step.queues = read_queues(fields);
  step.type = fields.maybe_text("type").value_or("");
  step.key = fields.maybe_text("key");
  step.error = fields.maybe_text("error").value_or("");
  step.reason = fields.maybe_text("reason").value_or("");
  step.cursor = fields.maybe_text("cursor");
  step.what = fields.maybe_text("what").value_or("");
  if (!fields.has("state")) return;
  step.state = job_state_from(fields.text("state"));
  if (!step.state) fields.wrong("state", "is not a state of a job");
}

void read_numbers(Fields& fields, Step& step) {
  step.free = fields.flag_or("free", false);
  step.slot = fields.has("slot") ? fields.small("slot") : -1;
  step.attempt_offset = fields.maybe_number("attempt_offset");
  step.limit = fields.maybe_number("limit");
  step.timeout = fields.maybe_duration("timeout_ms");
  step.priority = fields.maybe_number("priority");
  step.announced = fields.flag_or("announced", false);
  step.lease = fields.maybe_duration("lease_ms").value_or(default_lease);
  step.max = fields.maybe_number("max").value_or(1);
  step.attempts = fields.maybe_number("attempts");
  step.unrecoverable = fields.flag_or("unrecoverable", false);
  step.reset_attempts = fields.flag_or("reset_attempts", false);
  step.next_page = fields.flag_or("next_page", false);
}

Step read_step(Fields fields, const Plan& plan) {
  Step step;
  const auto kind = step_kind_from(fields.text("do"));
  if (!kind) fields.wrong("do", "is not a kind of step");
  step.kind = *kind;
  const bool has_client = fields.has("client");
  if (!is_of_the_world(step.kind) || has_client) step.client = read_client(fields, plan);
  if (step.kind == StepKind::begin_fault) {
    step.fault = FaultSpec{fields.text("fault"), !has_client};
    if (fields.has("with")) {
      Fields with = fields.object("with");
      for (const auto& [name, number] : fields.any("with").items())
        step.fault->with[name] = with.number(name);
    }
  }
  step.worker = read_worker(fields, plan);
  read_references(fields, step);
  read_texts(fields, step);
  read_numbers(fields, step);
  fields.finish();
  return step;
}

Plan read_plan(const nlohmann::json& object) {
  Fields fields(object, "");
  Plan plan{fields.text("name"), read_clients(fields), {}, {}, {}};
  plan.workers = read_workers(fields);
  if (fields.has("schedule")) plan.schedule = detail::read_schedule(fields.object("schedule"));
  for (const auto& element : fields.array("steps"))
    plan.steps.push_back(read_step({element, fmt::format("steps[{}]", plan.steps.size())}, plan));
  fields.finish();
  return plan;
}

}  // namespace

Result<Plan> plan_from_json(std::string_view text) {
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (object.is_discarded()) return invalid("is not valid JSON");
  try {
    Plan plan = read_plan(object);
    if (const auto valid = validate(plan); !valid.ok()) return valid.error();
    return plan;
  } catch (const Malformed& malformed) {
    return invalid(malformed.text());
  }
}

}  // namespace assay
