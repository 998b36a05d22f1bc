#include "harness/run/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/contract/wakeups.h"
#include "harness/plan/script.h"
#include "harness/run/certify.h"
#include "harness/run/detail/references.h"
#include "harness/run/intercepted_driver.h"
#include "harness/run/recorded_driver.h"
#include "harness/schedule/virtual_runtime.h"

namespace assay {

using namespace std::chrono_literals;

const EngineInfo* find_engine(std::span<const EngineInfo> engines, std::string_view name) {
  for (const EngineInfo& engine : engines)
    if (name.empty() || engine.name == name) return &engine;
  return nullptr;
}

Profile with_engine(Profile profile, const EngineInfo& engine) {
  profile.capabilities.insert(engine.capabilities.begin(), engine.capabilities.end());
  return profile;
}

std::optional<std::string> why_no_engine(const DriverInfo& driver, const Profile& profile) {
  if (driver.interleaving != Interleaving::fibers && driver.interleaving != Interleaving::gates)
    return fmt::format("{} does not run in this process with gates of its own", driver.name);
  if (profile.in_real_time()) return fmt::format("{} lives by a clock that runs", driver.name);
  return std::nullopt;
}

namespace {

// How long every job is waited for once all faults have ended: longer than any pause of a contract.
constexpr Duration watched_for = 6h;

VirtualSettings settings_of(const DriverInfo& driver, std::uint64_t seed) {
  VirtualSettings settings;
  settings.fibers = driver.interleaving == Interleaving::fibers;
  settings.max_moves = 400'000;
  settings.seed = seed;
  return settings;
}

std::unique_ptr<Strategy> strategy_of(const Plan& plan) {
  if (plan.schedule) return strategy_for(*plan.schedule);
  return std::make_unique<RandomWalk>(1);
}

Error no_answer() { return {ErrorCode::unavailable, "no answer"}; }

// A worker, from its start to its end or death.
struct Instance {
  const WorkerSpec* spec = nullptr;
  bool is_dead = false;
  bool is_ending = false;
  std::stop_source killed;
  std::unique_ptr<InterceptedDriver> driver;
  std::unique_ptr<RunningWorker> running;
  std::unique_ptr<Task> ending;  // shuts it down
};

class EngineRun {
 public:
  EngineRun(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
            const EngineInfo& engine, const std::string& driver_name)
      : plan_(plan),
        engine_(engine),
        strategy_(strategy_of(plan)),
        runtime_(*strategy_, settings_of(driver, options.seed)),
        seed_(options.seed),
        name_(driver_name) {
    DriverOptions own{options.profile, runtime_.clock(),   options.seed,     options.url,
                      options.scratch, options.log_folder, &runtime_.gates()};
    made_ = driver.make(own);
  }

  // Whether nobody is left in it.
  bool run(RunResult& result) {
    if (!made_.ok() || !*made_) {
      result.trouble =
          made_.ok() ? Error{ErrorCode::internal, "its factory gave no driver"} : made_.error();
      return true;
    }
    store_ = std::move(*made_);
    if (const Status set_up = store_->setup({"engine"}); !set_up.ok()) {
      result.trouble = set_up.error();
      return true;
    }
    troubled_ = std::make_unique<InterceptedDriver>(*store_, trouble());
    recorded_ = std::make_unique<RecordedDriver>(
        *troubled_, RecordedOptions{name_, plan_.name, &runtime_.clock()});
    references_.emplace(plan_, store_->profile());
    const VirtualRun ran = runtime_.run([&] { play(); });
    result.history = recorded_->history();
    result.history.profile = with_engine(store_->profile(), engine_);
    result.history.plan = plan_.name;
    result.step_of_op = {};
    if (!ran.is_whole())
      result.trouble =
          Error{ErrorCode::internal, "the engine does not come to an end: " + ran.told()};
    else if (trouble_)
      result.trouble = trouble_;
    for (FaultRecord& fault : faults_) result.faults.push_back(std::move(fault));
    if (!ran.is_whole()) return false;
    sessions_.clear();
    workers_.clear();
    static_cast<void>(store_->teardown());
    return true;
  }

 private:
  // --- what stands between the engine and its store ---

  static std::string worker_of(const SessionSpec& spec) {
    return spec.name.substr(0, spec.name.find('/'));
  }

  bool is_away(const SessionSpec& spec) const {
    return away_ || away_for_.contains(worker_of(spec));
  }

  Interception trouble() {
    Interception by;
    by.call = [this](const SessionSpec& spec, Instant now, const Request& request,
                     const Interception::Next& next) -> Result<Response> {
      if (std::holds_alternative<Close>(request)) return next(now, request);
      if (is_away(spec)) return ++met_, no_answer();
      auto answer = next(now, request);
      if (!loses_answers_for_.contains(worker_of(spec))) return answer;
      ++met_;
      return no_answer();
    };
    by.records = [this](const SessionSpec& spec) -> Status {
      if (is_away(spec)) return ++met_, no_answer();
      return Done{};
    };
    return by;
  }

  // The dead make no calls.
  Interception life_of(const std::shared_ptr<Instance>& instance) {
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
    by.open = [this, instance](const SessionSpec&) -> Status {
      if (instance->is_dead) return no_answer();
      EngineEvent event{.kind = EngineEvent::Kind::worker_connected,
                        .worker = instance->spec->name};
      event.client = static_cast<int>(recorded_->clients().size());
      tell(std::move(event));
      return Done{};
    };
    return by;
  }

  void tell(EngineEvent event) {
    event.now = runtime_.clock().now();
    recorded_->record(std::move(event));
  }

  // --- its handlers ---

  ActResult act(const std::shared_ptr<Instance>& instance, const Errand& errand) {
    if (instance->is_dead) return {false, "its worker is dead"};
    const std::string& worker = instance->spec->name;
    const Act what = act_of(errand.job.payload, ++runs_[errand.job.id]);
    const auto say = [&, this](EngineEvent::Kind kind, std::string word) {
      if (instance->is_dead) return;
      EngineEvent event{.kind = kind, .worker = worker};
      event.job_id = errand.job.id;
      event.run = errand.run;
      event.word = std::move(word);
      tell(std::move(event));
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
    const bool is_cut_short = is_told && errand.clock.now() < until + what.deaf;
    return end(what, is_cut_short, say);
  }

  template <class Say>
  static ActResult end(const Act& what, bool is_cut_short, const Say& say) {
    if (is_cut_short) {
      say(EngineEvent::Kind::handler_ended, "stopped");
      return {false, "told to stop"};
    }
    switch (what.end) {
      case Act::End::ok:
        say(EngineEvent::Kind::handler_ended, "ok");
        return {};
      case Act::End::fail:
        say(EngineEvent::Kind::handler_ended, "failed");
        return {false, "no luck"};
      case Act::End::unrecoverable:
        say(EngineEvent::Kind::handler_ended, "unrecoverable");
        return {false, "no hope", true};
      case Act::End::throws:
        say(EngineEvent::Kind::handler_ended, "threw");
        throw std::runtime_error("thrown");
      case Act::End::odd:
        say(EngineEvent::Kind::handler_ended, "threw");
        throw 42;
    }
    return {};
  }

  // --- its workers ---

  std::map<std::string, std::int64_t> lives_by(const WorkerSpec& spec) const {
    const auto ms = [](Duration length) { return to_ms(length); };
    std::map<std::string, std::int64_t> numbers{
        {"lease_ms", ms(spec.lease.value_or(store_->profile().lease_ttl))},
        {"concurrency", spec.concurrency},
        {"grace_ms", ms(spec.grace)},
        {"interruption_ms", ms(spec.interruption)},
        {"poll_ms", ms(engine_.longest_poll)},
        {"outage_ms", ms(engine_.longest_outage)}};
    if (spec.timeout) numbers["timeout_ms"] = ms(*spec.timeout);
    if (spec.most_runs) numbers["most_runs"] = *spec.most_runs;
    if (spec.type_limit) numbers["type_limit"] = *spec.type_limit;
    if (spec.rate_every) numbers["rate_every_ms"] = ms(*spec.rate_every);
    if (spec.group_acks) numbers["group_acks"] = 1;
    return numbers;
  }

  void start(std::size_t index) {
    auto& slot = workers_[index];
    if (slot && !slot->is_dead && !slot->is_ending) return;
    bury(slot);
    const WorkerSpec& spec = plan_.workers[index];
    auto instance = std::make_shared<Instance>();
    instance->spec = &spec;
    instance->driver = std::make_unique<InterceptedDriver>(*recorded_, life_of(instance));
    EngineEvent event{.kind = EngineEvent::Kind::worker_started, .worker = spec.name};
    event.word = fmt::format("{};{}", fmt::join(acted_types, ","), fmt::join(spec.queues, ","));
    event.numbers = lives_by(spec);
    tell(std::move(event));
    EngineTerms terms{
        .runtime = runtime_,
        .driver = *instance->driver,
        .spec = spec,
        .types = {std::begin(acted_types), std::end(acted_types)},
        .act = [this, instance](const Errand& errand) { return act(instance, errand); },
        .tell =
            [this, instance](EngineEvent said) {
              if (instance->is_dead) return;
              said.worker = instance->spec->name;
              tell(std::move(said));
            },
        .seed = seed_ + ++starts_};
    auto made = engine_.make(terms);
    const Status started = made.ok() ? (*made)->start() : Status(made.error());
    if (!started.ok()) {
      if (!trouble_) trouble_ = started.error();
      return;
    }
    instance->running = std::move(*made);
    slot = std::move(instance);
  }

  void end(const std::shared_ptr<Instance>& instance, bool tells) {
    instance->is_ending = true;
    instance->ending = runtime_.start(
        "end of " + instance->spec->name, [this, one = instance.get(), tells](std::stop_token) {
          one->running->shutdown();
          if (tells && !one->is_dead)
            tell({.kind = EngineEvent::Kind::worker_ended, .worker = one->spec->name});
        });
  }

  void stop(std::size_t index) {
    const auto& instance = workers_[index];
    if (!instance || instance->is_ending || instance->is_dead) return;
    tell({.kind = EngineEvent::Kind::worker_stopping, .worker = instance->spec->name});
    end(instance, true);
  }

  void kill(std::size_t index) {
    const auto& instance = workers_[index];
    if (!instance || instance->is_dead || (instance->ending && instance->ending->join_until(now())))
      return;
    tell({.kind = EngineEvent::Kind::worker_died, .worker = instance->spec->name});
    instance->is_dead = true;
    instance->killed.request_stop();
    if (!instance->is_ending) end(instance, false);
  }

  // Waits until nothing of it runs any more.
  static void bury(std::shared_ptr<Instance>& instance) {
    if (!instance) return;
    if (instance->ending) static_cast<void>(instance->ending->join_until(std::nullopt));
    instance->ending.reset();
    instance->running.reset();
    instance->driver.reset();  // which has it, too
    instance.reset();
  }

  // --- the plan ---

  Instant now() { return runtime_.clock().now(); }
  void pass_until(Instant when) { runtime_.clock().sleep_until(when, {}); }

  void play() {
    tell({.kind = EngineEvent::Kind::begins, .word = engine_.name});
    workers_.resize(plan_.workers.size());
    for (std::size_t i = 0; i < workers_.size(); ++i) start(i);
    for (const Step& step : plan_.steps) {
      if (trouble_) break;
      make(step);
    }
    while (!open_faults_.empty()) end_fault(open_faults_.begin()->first);
    for (const std::string& queue : paused_) static_cast<void>(ask(0, Resume{queue}));
    for (std::size_t i = 0; i < workers_.size(); ++i) start(i);
    watch();
    tell({.kind = EngineEvent::Kind::watched});
    for (std::size_t i = 0; i < workers_.size(); ++i) stop(i);
    for (auto& instance : workers_) bury(instance);
    account();
    for (auto& [client, session] : sessions_)
      if (session) static_cast<void>(session->close());
  }

  void make(const Step& step) {
    switch (step.kind) {
      case StepKind::advance:
        if (const auto when = references_->instant(*step.when, now())) pass_until(*when);
        break;
      case StepKind::begin_fault:
        begin_fault(step);
        break;
      case StepKind::end_fault:
        end_fault(step.slot);
        break;
      case StepKind::start_worker:
        start(static_cast<std::size_t>(step.worker));
        break;
      case StepKind::stop_worker:
        stop(static_cast<std::size_t>(step.worker));
        break;
      case StepKind::kill_worker:
        kill(static_cast<std::size_t>(step.worker));
        break;
      default:
        call(step);
    }
  }

  void call(const Step& step) {
    const auto request = references_->request(step, now());
    if (!request) return;
    if (const auto* pause = std::get_if<Pause>(&*request)) paused_.insert(pause->queue);
    if (const auto* resume = std::get_if<Resume>(&*request)) paused_.erase(resume->queue);
    const auto answer = ask(step.client, *request);
    references_->learn(step, *request, answer.ok() ? &*answer : nullptr, now());
    if (answer.ok())
      if (const auto* made = std::get_if<Enqueued>(&*answer)) jobs_.insert(made->id);
    if (answer.ok())
      if (const auto* made = std::get_if<Requeued>(&*answer)) jobs_.insert(made->job_id);
  }

  Result<Response> ask(int client, const Request& request) {
    auto& session = sessions_[client];
    if (!session) {
      const ClientSpec& spec = plan_.clients[static_cast<std::size_t>(client)];
      auto opened = recorded_->open({spec.name, spec.role});
      if (!opened.ok()) return opened.error();
      session = std::move(*opened);
    }
    return perform(*session, now(), request);
  }

  // --- what goes wrong ---

  struct OpenFault {
    FaultSpec spec;
    std::string worker;  // empty: everybody
    std::uint64_t number = 0;
    std::size_t record = 0;
    std::uint64_t met = 0;  // before
  };

  void begin_fault(const Step& step) {
    const std::string& name = step.fault->name;
    const std::string worker =
        step.worker < 0 ? "" : plan_.workers[static_cast<std::size_t>(step.worker)].name;
    if (name == engine_faults[0] && worker.empty())
      away_ = true;
    else if (name == engine_faults[0])
      away_for_.insert(worker);
    else if (name == engine_faults[1] && !worker.empty())
      loses_answers_for_.insert(worker);
    else
      return;
    end_fault(step.slot);
    OpenFault fault{*step.fault, worker, ++fault_number_, faults_.size(), met_};
    faults_.push_back({.fault = name, .begun = true, .met_nobody = true});
    say(fault, FaultEvent::Stage::begun);
    if (!worker.empty()) tell({.kind = EngineEvent::Kind::line_lost, .worker = worker});
    open_faults_.emplace(step.slot, std::move(fault));
  }

  void end_fault(int slot) {
    const auto at = open_faults_.find(slot);
    if (at == open_faults_.end()) return;
    const OpenFault fault = std::move(at->second);
    open_faults_.erase(at);
    if (met_ > fault.met) say(fault, FaultEvent::Stage::proven);
    if (met_ > fault.met) faults_[fault.record].proof = proof_of(fault);
    faults_[fault.record].met_nobody = met_ == fault.met;
    if (fault.worker.empty()) away_ = false;
    away_for_.erase(fault.worker);
    loses_answers_for_.erase(fault.worker);
    if (!fault.worker.empty()) tell({.kind = EngineEvent::Kind::line_back, .worker = fault.worker});
    say(fault, FaultEvent::Stage::ended);
  }

  std::string proof_of(const OpenFault& fault) const {
    return fmt::format("{} calls went without an answer", met_ - fault.met);
  }

  void say(const OpenFault& fault, FaultEvent::Stage stage) {
    FaultEvent event;
    event.stage = stage;
    event.number = fault.number;
    event.fault = fault.spec.name;
    event.effect = fault.worker.empty() ? FaultEffect::store_away : FaultEffect::none;
    if (stage == FaultEvent::Stage::proven) event.proof = proof_of(fault);
    recorded_->record(std::move(event));
  }

  // --- and in the end ---

  // Nobody's call: it is not in the history.
  bool all_have_ended(Session& desk) {
    return std::ranges::all_of(jobs_, [&](const JobId& id) {
      const auto seen = desk.get(now(), {id});
      return seen.ok() ? is_terminal(seen->job.state) : seen.error().code == ErrorCode::not_found;
    });
  }

  void watch() {
    auto desk = store_->open({"desk", Role::admin});
    if (!desk.ok()) {
      trouble_ = desk.error();
      return;
    }
    const Instant deadline = now() + watched_for;
    for (Duration pause{100}; now() < deadline && !all_have_ended(**desk);
         pause = std::min<Duration>(pause * 2, 60s))
      pass_until(now() + pause);
    static_cast<void>((*desk)->close());
  }

  void account() {
    if (!store_->profile().has("inspect")) return;
    for (const JobId& id : jobs_) static_cast<void>(ask(0, Get{id}));
  }

  const Plan& plan_;
  const EngineInfo& engine_;
  const std::unique_ptr<Strategy> strategy_;
  VirtualRuntime runtime_;
  const std::uint64_t seed_;
  const std::string name_;
  Result<std::unique_ptr<Driver>> made_ = Error{};
  std::unique_ptr<Driver> store_;
  std::unique_ptr<InterceptedDriver> troubled_;
  std::unique_ptr<RecordedDriver> recorded_;
  std::optional<detail::References> references_;
  std::vector<std::shared_ptr<Instance>> workers_;
  std::map<int, std::unique_ptr<Session>> sessions_;  // of the plan's clients
  std::map<JobId, std::int64_t> runs_;
  std::set<JobId> jobs_;
  std::set<std::string> paused_;
  std::uint64_t starts_ = 0;

  bool away_ = false;
  std::set<std::string> away_for_, loses_answers_for_;
  std::uint64_t met_ = 0;  // calls that went without an answer
  std::uint64_t fault_number_ = 0;
  std::map<int, OpenFault> open_faults_;  // by slot
  std::vector<FaultRecord> faults_;
  std::optional<Error> trouble_;
};

}  // namespace

RunResult run_engine(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
                     const EngineInfo& engine, const std::string& driver_name) {
  RunResult result;
  auto run = std::make_unique<EngineRun>(plan, driver, options, engine, driver_name);
  // Whoever stands still in it for good still has it.
  if (!run->run(result)) static_cast<void>(run.release());
  return result;
}

}  // namespace assay
