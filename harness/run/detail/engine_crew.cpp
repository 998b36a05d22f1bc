#include "harness/run/detail/engine_crew.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/run/detail/engine_trouble.h"

namespace assay::detail {

using namespace std::chrono_literals;

struct EngineCrew::Instance {
  const WorkerSpec* spec = nullptr;
  bool is_dead = false;
  bool is_ending = false;
  std::stop_source killed;
  std::unique_ptr<InterceptedDriver> driver;
  std::unique_ptr<RunningWorker> running;
  std::unique_ptr<Task> ending;  // shuts it down
};

EngineCrew::EngineCrew(EngineStage& stage) : stage_(stage) {
  workers_.resize(stage.plan.workers.size());
}

EngineCrew::~EngineCrew() = default;

// --- what it is given ---

static std::map<std::string, std::int64_t> lives_by(const WorkerSpec& spec, const Profile& profile,
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
  return numbers;
}

// The dead make no calls.
Interception EngineCrew::life_of(const std::shared_ptr<Instance>& instance) {
  Interception by;
  by.call = [instance](const SessionSpec&, Instant now, const Request& request,
                       const Interception::Next& next) -> Result<Response> {
    if (instance->is_dead) return no_answer();
    return next(now, request);
  };
  by.records = [instance](const SessionSpec&) -> Status {
    if (instance->is_dead) return no_answer();
    return Done{};
  };
  by.open = [instance](const SessionSpec&) {
    return instance->is_dead ? Status(no_answer()) : Status(Done{});
  };
  // Several may be opened at once: which one it is, its name tells.
  by.opened = [this, instance](const SessionSpec& spec) {
    const std::vector<std::string> clients = stage_.recorded().clients();
    for (std::size_t i = clients.size(); i > 0; --i) {
      const std::string& name = clients[i - 1];
      if (name != spec.name && !name.starts_with(spec.name + " (")) continue;
      EngineEvent event{.kind = EngineEvent::Kind::worker_connected,
                        .worker = instance->spec->name};
      event.client = static_cast<int>(i - 1);
      return stage_.tell(std::move(event));
    }
  };
  return by;
}

EngineTerms EngineCrew::terms_of(const std::shared_ptr<Instance>& instance) {
  return {.runtime = stage_.runtime(),
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
          .seed = stage_.seed + ++starts_};
}

// --- its life ---

void EngineCrew::start(std::size_t index) {
  auto& slot = workers_[index];
  if (slot && !slot->is_dead && !slot->is_ending) return;
  bury(slot);
  const WorkerSpec& spec = stage_.plan.workers[index];
  auto instance = std::make_shared<Instance>();
  instance->spec = &spec;
  instance->driver = std::make_unique<InterceptedDriver>(stage_.recorded(), life_of(instance));
  EngineEvent event{.kind = EngineEvent::Kind::worker_started, .worker = spec.name};
  event.word = fmt::format("{};{}", fmt::join(acted_types, ","), fmt::join(spec.queues, ","));
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

// Waits until nothing of it runs any more.
void EngineCrew::bury(std::shared_ptr<Instance>& instance) {
  if (!instance) return;
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

// --- what its handlers do ---

static ActResult end_of(const Act& what, const std::function<void(std::string)>& ends_as) {
  switch (what.end) {
    case Act::End::ok:
      ends_as("ok");
      return {};
    case Act::End::fail:
      ends_as("failed");
      return {false, "no luck"};
    case Act::End::unrecoverable:
      ends_as("unrecoverable");
      return {false, "no hope", true};
    case Act::End::throws:
      ends_as("threw");
      throw std::runtime_error("thrown");
    case Act::End::odd:
      ends_as("threw");
      throw 42;
  }
  return {};
}

ActResult EngineCrew::act(const std::shared_ptr<Instance>& instance, const Errand& errand) {
  if (instance->is_dead) return {false, "its worker is dead"};
  const Act what = act_of(errand.job.payload, ++runs_[errand.job.id]);
  const auto say = [&, this](EngineEvent::Kind kind, std::string word) {
    if (instance->is_dead) return;
    EngineEvent event{.kind = kind, .worker = instance->spec->name};
    event.job_id = errand.job.id;
    event.run = errand.run;
    event.word = std::move(word);
    stage_.tell(std::move(event));
  };
  const auto ends_as = [&](std::string how) {
    say(EngineEvent::Kind::handler_ended, std::move(how));
  };
  say(EngineEvent::Kind::handler_began, "");
  bool is_told = false;
  const Instant until = errand.clock.now() + what.length;
  {
    std::stop_source either;
    const std::stop_callback told(errand.stop, [&] {
      is_told = true;
      say(EngineEvent::Kind::handler_told_to_stop, errand.why());
      either.request_stop();
    });
    const std::stop_callback killed(instance->killed.get_token(), [&] { either.request_stop(); });
    errand.clock.sleep_until(until, either.get_token());
  }
  if (is_told && what.deaf > 0ms)
    errand.clock.sleep_until(errand.clock.now() + what.deaf, instance->killed.get_token());
  if (instance->is_dead) return {false, "its worker is dead"};
  if (!is_told || errand.clock.now() >= until + what.deaf) return end_of(what, ends_as);
  ends_as("stopped");
  return {false, "told to stop"};
}

}  // namespace assay::detail
