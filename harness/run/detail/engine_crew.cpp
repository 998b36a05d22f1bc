#include "harness/run/detail/engine_crew.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/run/detail/acting.h"
#include "harness/run/detail/engine_trouble.h"

namespace assay::detail {

using namespace std::chrono_literals;

struct EngineCrew::Instance {
  const WorkerSpec* spec = nullptr;
  bool is_dead = false;
  bool is_ending = false;
  std::size_t index = 0;
  std::optional<std::int64_t> calls_left = {};  // until its death
  std::stop_source killed;
  std::unique_ptr<InterceptedDriver> driver;
  std::unique_ptr<WakeUpLine> wakeups;
  std::unique_ptr<RunningWorker> running;
  std::unique_ptr<Task> ending;               // shuts it down
  std::vector<std::unique_ptr<Task>> asking;  // of a caller

  bool is_worker() const { return spec->kind == WorkerSpec::Kind::worker; }
};

EngineCrew::EngineCrew(EngineStage& stage) : stage_(stage) {
  workers_.resize(stage.plan.workers.size());
}

EngineCrew::~EngineCrew() = default;

// --- what it is given ---

std::map<std::string, std::int64_t> lives_by(const WorkerSpec& spec, const Profile& profile,
                                             const EngineInfo& engine) {
  std::map<std::string, std::int64_t> numbers{
      {"lease_ms", to_ms(spec.lease.value_or(profile.lease_ttl))},
      {"concurrency", spec.concurrency},
      {"grace_ms", to_ms(spec.grace)},
      {"interruption_ms", to_ms(spec.interruption)},
      {"poll_ms", to_ms(engine.longest_poll)},
      {"outage_ms", to_ms(engine.longest_outage)}};
  if (spec.timeout) numbers["timeout_ms"] = to_ms(*spec.timeout);
  if (spec.most_runs) numbers["most_runs"] = *spec.most_runs;
  if (spec.type_limit) numbers["type_limit"] = *spec.type_limit;
  if (spec.rate_every) numbers["rate_every_ms"] = to_ms(*spec.rate_every);
  if (spec.group_acks) numbers["group_acks"] = 1;
  if (spec.hears) numbers["hears"] = 1;
  if (!spec.looks_itself && profile.claim_style == ClaimStyle::by_id) numbers["only_hears"] = 1;
  if (spec.outbox) numbers["outbox"] = 1;
  if (spec.kind == WorkerSpec::Kind::scheduler) numbers["scheduler"] = 1;
  if (spec.kind != WorkerSpec::Kind::dispatcher) return numbers;
  const DispatcherPace pace = pace_of(spec);
  numbers["dispatcher"] = 1;
  numbers["outbox_ms"] = to_ms(pace.outbox);
  numbers["retries_ms"] = to_ms(pace.retries);
  numbers["reaper_ms"] = to_ms(pace.reaper);
  numbers["stale_ms"] = to_ms(pace.stale);
  numbers["stale_after_ms"] = to_ms(pace.stale_after);
  return numbers;
}

static bool is_settle(const Request& request) {
  return std::holds_alternative<Ack>(request) || std::holds_alternative<Nack>(request) ||
         std::holds_alternative<Retry>(request) || std::holds_alternative<Fail>(request);
}

void EngineCrew::count_call(const std::shared_ptr<Instance>& instance) {
  if (instance->is_dead || !instance->calls_left || --*instance->calls_left > 0) return;
  kill(instance->index);
}

// The dead make no calls, and hear no answers.
Interception EngineCrew::life_of(const std::shared_ptr<Instance>& instance) {
  Interception by;
  by.call = [this, instance](const SessionSpec&, Instant now, const Request& request,
                             const Interception::Next& next) -> Result<Response> {
    if (instance->is_dead) return no_answer();
    auto answer = next(now, request);
    if (is_settle(request)) count_call(instance);
    return instance->is_dead ? no_answer() : answer;
  };
  by.commit = [this, instance](const SessionSpec&, Instant now, const Commit& commit,
                               const Interception::NextCommit& next) -> Result<Committed> {
    auto answer = next(now, commit);
    count_call(instance);
    return instance->is_dead ? no_answer() : answer;
  };
  by.together = [this, instance](const SessionSpec&, Instant now, std::span<const Request> requests,
                                 const Interception::NextAll& next) {
    const std::vector<Result<Response>> none(requests.size(), Result<Response>(no_answer()));
    if (instance->is_dead) return none;
    auto answers = next(now, requests);
    if (std::ranges::any_of(requests, is_settle)) count_call(instance);
    return instance->is_dead ? none : answers;
  };
  by.records = [instance](const SessionSpec&) -> Status {
    if (instance->is_dead) return no_answer();
    return Done{};
  };
  by.open = [instance](const SessionSpec&) {
    return instance->is_dead ? Status(no_answer()) : Status(Done{});
  };
  by.opened = known_as(instance->spec->name).opened;
  return by;
}

Interception EngineCrew::known_as(std::string name) {
  Interception by;
  by.opened = [this, name = std::move(name)](const Session& session) {
    EngineEvent event{.kind = EngineEvent::Kind::worker_connected, .worker = name};
    event.client = RecordedDriver::client_of(session);
    stage_.tell(std::move(event));
  };
  return by;
}

EngineTerms EngineCrew::terms_of(const std::shared_ptr<Instance>& instance) {
  return {
      .runtime = stage_.runtime(),
      .driver = *instance->driver,
      .spec = *instance->spec,
      .types = {std::begin(acted_types), std::end(acted_types)},
      .act = [this, instance](const Errand& errand) { return act(instance, errand); },
      .tell =
          [this, instance](EngineEvent said) {
            if (instance->is_dead) return;
            said.worker = instance->spec->name;
            stage_.tell(std::move(said));
          },
      .seed = stage_.seed + ++starts_,
      .wakeups = *instance->wakeups,
      .route = [this, instance](const std::string& row,
                                const SentEvent& event) { return route(instance, row, event); }};
}

// One target is nobody's: what is sent there never arrives.
Status EngineCrew::route(const std::shared_ptr<Instance>& instance, const std::string& row,
                         const SentEvent& event) {
  if (instance->is_dead) return no_answer();
  EngineEvent routed{.kind = EngineEvent::Kind::event_routed, .worker = instance->spec->name};
  routed.row = row;
  routed.word = event.target;
  const bool is_refused = event.target == nowhere;
  if (is_refused) routed.numbers["refused"] = 1;
  stage_.tell(std::move(routed));
  if (is_refused) return not_found("there is no such target");
  return Done{};
}

// --- its life ---

void EngineCrew::start(std::size_t index) {
  auto& slot = workers_[index];
  if (slot && !slot->is_dead && !slot->is_ending) return;
  bury(slot);
  const WorkerSpec& spec = stage_.plan.workers[index];
  auto instance = std::make_shared<Instance>();
  instance->spec = &spec;
  instance->index = index;
  instance->driver = std::make_unique<InterceptedDriver>(stage_.recorded(), life_of(instance));
  instance->wakeups = stage_.post().line_of(spec.name, spec.queues,
                                            [one = instance.get()] { return one->is_dead; });
  EngineEvent event{.kind = EngineEvent::Kind::worker_started, .worker = spec.name};
  const std::string types =
      instance->is_worker() ? fmt::format("{}", fmt::join(acted_types, ",")) : std::string();
  event.word = fmt::format("{};{};{}", types, fmt::join(spec.queues, ","),
                           fmt::join(stage_.engine.own_types, ","));
  event.numbers = lives_by(spec, stage_.store().profile(), stage_.engine);
  stage_.tell(std::move(event));
  auto made = stage_.engine.make(terms_of(instance));
  const Status started = made.ok() ? (*made)->start() : Status(made.error());
  if (!started.ok()) return stage_.trouble(started.error());
  instance->running = std::move(*made);
  slot = std::move(instance);
}

void EngineCrew::end(const std::shared_ptr<Instance>& instance, bool tells) {
  instance->is_ending = true;
  instance->ending = stage_.runtime().start(
      "end of " + instance->spec->name, [this, one = instance.get(), tells](std::stop_token) {
        one->running->shutdown();
        if (tells && !one->is_dead)
          stage_.tell({.kind = EngineEvent::Kind::worker_ended, .worker = one->spec->name});
      });
}

void EngineCrew::stop(std::size_t index) {
  const auto& instance = workers_[index];
  if (!instance || instance->is_ending || instance->is_dead) return;
  stage_.tell({.kind = EngineEvent::Kind::worker_stopping, .worker = instance->spec->name});
  end(instance, true);
}

void EngineCrew::kill(std::size_t index) {
  const auto& instance = workers_[index];
  if (!instance || instance->is_dead ||
      (instance->ending && instance->ending->join_until(stage_.now())))
    return;
  stage_.tell({.kind = EngineEvent::Kind::worker_died, .worker = instance->spec->name});
  instance->is_dead = true;
  instance->killed.request_stop();
  if (!instance->is_ending) end(instance, false);
}

void EngineCrew::kill_at_call(std::size_t index, std::int64_t number) {
  if (workers_[index]) workers_[index]->calls_left = number;
}

void EngineCrew::spare_all() {
  for (const auto& instance : workers_)
    if (instance) instance->calls_left.reset();
}

// Waits until nothing of it runs any more.
void EngineCrew::bury(std::shared_ptr<Instance>& instance) {
  if (!instance) return;
  for (const auto& one : instance->asking) static_cast<void>(one->join_until(std::nullopt));
  instance->asking.clear();
  if (instance->ending) static_cast<void>(instance->ending->join_until(std::nullopt));
  instance->ending.reset();
  instance->running.reset();
  instance->driver.reset();  // which has it, too
  instance.reset();
}

void EngineCrew::start_all() {
  for (std::size_t i = 0; i < workers_.size(); ++i) start(i);
}

void EngineCrew::end_all() {
  for (std::size_t i = 0; i < workers_.size(); ++i) stop(i);
  for (auto& instance : workers_) bury(instance);
}

void EngineCrew::end_schedulers() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i] || workers_[i]->spec->kind != WorkerSpec::Kind::scheduler) continue;
    stop(i);
    bury(workers_[i]);
  }
}

// --- what callers ask for ---

void EngineCrew::ask(std::size_t index, std::int64_t number, CallerOrder order) {
  const auto& instance = workers_[index];
  if (!instance || instance->is_dead || instance->is_ending) return;
  order.job.payload += mark_of_order(number);
  EngineEvent asked{.kind = EngineEvent::Kind::caller_asked, .worker = instance->spec->name};
  asked.run = number;
  asked.word = fmt::format("{} {}", name_of(order.way), order.job.key.value_or(""));
  stage_.tell(std::move(asked));
  instance->asking.push_back(stage_.runtime().start(
      fmt::format("{}'s order {}", instance->spec->name, number),
      [this, one = instance.get(), number, order = std::move(order)](std::stop_token) {
        const auto answer = one->running->ask(order);
        if (one->is_dead) return;
        EngineEvent told{.kind = EngineEvent::Kind::caller_answered, .worker = one->spec->name};
        told.run = number;
        if (answer.ok()) {
          told.job_id = answer->id;
          told.word = answer->state ? name_of(*answer->state) : "ok";
          if (answer->existed) told.numbers["existed"] = 1;
        } else {
          told.word = name_of(answer.error().code);
        }
        stage_.tell(std::move(told));
      }));
}

void EngineCrew::end_asking() {
  for (const auto& instance : workers_)
    for (std::size_t i = 0; instance && i < instance->asking.size(); ++i)
      static_cast<void>(instance->asking[i]->join_until(std::nullopt));
}

// --- what its handlers do ---

bool EngineCrew::wait(Instance& instance, const Errand& errand, const Act& what, const Told& told) {
  const Instant until = errand.clock.now() + what.length;
  errand.clock.sleep_until(until, told.either.get_token());
  if (!told.is_told) return true;
  const Instant deaf_until = what.stubborn ? until : errand.clock.now() + what.deaf;
  errand.clock.sleep_until(deaf_until, instance.killed.get_token());
  return errand.clock.now() >= until + (what.stubborn ? 0ms : what.deaf);
}

// Each value is another one, so that whoever finds it knows who wrote it.
void EngineCrew::make(const std::vector<OutputAct>& outputs, const Errand& errand,
                      std::string_view run, int& made, const Say& say) {
  using Kind = OutputAct::Kind;
  for (const OutputAct& output : outputs) {
    if (!errand.outputs.put) return;
    const std::string what = fmt::format("{} {}", name_of(output.kind), output.name);
    const std::string value = fmt::format("{}.{}", run, ++made);
    jobs_with_outputs_.insert(errand.job.id);
    say(EngineEvent::Kind::output_asked, fmt::format("{} {}", what, value));
    Result<std::string> kept(value);
    if (output.kind == Kind::commit) {
      kept = errand.outputs.commit(output.name, value);
    } else {
      const Status staged = output.kind == Kind::put
                                ? errand.outputs.put(output.name, value)
                                : errand.outputs.append(output.name, "once", value);
      if (!staged.ok()) kept = staged.error();
    }
    say(EngineEvent::Kind::output_answered,
        fmt::format("{} {} {}", what, value,
                    kept.ok() ? "ok " + *kept : std::string(name_of(kept.error().code))));
  }
}

ActResult EngineCrew::act(const std::shared_ptr<Instance>& instance, const Errand& errand) {
  if (instance->is_dead) return {false, "its worker is dead"};
  const std::int64_t number = ++runs_[errand.job.id];
  const std::string run = fmt::format("{}#{}", errand.job.id, number);
  const Act what = act_of(errand.job.payload, number);
  const std::int64_t handler = ++handlers_;
  const Say say = [&, this](EngineEvent::Kind kind, std::string word) {
    if (instance->is_dead) return;
    EngineEvent event{.kind = kind, .worker = instance->spec->name};
    event.job_id = errand.job.id;
    event.run = errand.run;
    event.word = std::move(word);
    event.numbers["handler"] = handler;
    stage_.tell(std::move(event));
  };
  const auto ends_as = [&](std::string how) {
    say(EngineEvent::Kind::handler_ended, std::move(how));
  };
  say(EngineEvent::Kind::handler_began, "");
  int made = 0;
  bool goes_on = false;
  {
    Told told;
    const std::stop_callback is_told(errand.stop, [&] {
      told.is_told = true;
      say(EngineEvent::Kind::handler_told_to_stop, errand.why());
      told.either.request_stop();
    });
    const std::stop_callback is_killed(instance->killed.get_token(),
                                       [&] { told.either.request_stop(); });
    make(what.first, errand, run, made, say);
    goes_on = wait(*instance, errand, what, told);
    if (goes_on && !instance->is_dead) make(what.then, errand, run, made, say);
  }
  if (instance->is_dead) return {false, "its worker is dead"};
  if (goes_on) {
    const bool sends = what.end == Act::End::ok && !what.to.empty();
    if (sends) say(EngineEvent::Kind::event_sent, what.to);
    ActResult result = end_of(what, ends_as);
    if (sends) result.events.push_back({what.to, "of " + errand.job.id});
    return result;
  }
  ends_as("stopped");
  return {false, "told to stop"};
}

}  // namespace assay::detail
