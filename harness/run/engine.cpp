#include "harness/run/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/run/certify.h"
#include "harness/run/detail/engine_crew.h"
#include "harness/run/detail/engine_trouble.h"
#include "harness/run/detail/references.h"

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

class EngineRun {
 public:
  EngineRun(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
            const EngineInfo& engine, const std::string& driver_name)
      : stage_(plan, driver, options, engine, driver_name), crew_(stage_), trouble_(stage_) {}

  // Whether nobody is left in it.
  bool run(RunResult& result) {
    if (const Status set_up = stage_.set_up(trouble_.interception()); !set_up.ok()) {
      result.trouble = set_up.error();
      return true;
    }
    references_.emplace(stage_.plan, stage_.store().profile());
    const VirtualRun ran = stage_.runtime().run([&] { play(); });
    result.history = stage_.recorded().history();
    result.history.profile = with_engine(stage_.store().profile(), stage_.engine);
    result.history.plan = stage_.plan.name;
    result.step_of_op = {};
    result.faults = trouble_.take_records();
    result.trouble = stage_.trouble();
    if (!ran.is_whole()) {
      result.trouble =
          Error{ErrorCode::internal, "the engine does not come to an end: " + ran.told()};
      return false;
    }
    sessions_.clear();
    static_cast<void>(stage_.store().teardown());
    return true;
  }

 private:
  void play() {
    stage_.tell({.kind = EngineEvent::Kind::begins, .word = stage_.engine.name});
    crew_.start_all();
    for (const Step& step : stage_.plan.steps) {
      if (stage_.trouble()) break;
      make(step);
    }
    trouble_.end_all();
    for (const std::string& queue : paused_) static_cast<void>(ask(0, Resume{queue}));
    crew_.start_all();
    watch();
    stage_.tell({.kind = EngineEvent::Kind::watched});
    crew_.end_all();
    account();
    for (auto& [client, session] : sessions_)
      if (session) static_cast<void>(session->close());
  }

  void make(const Step& step) {
    const auto worker = static_cast<std::size_t>(step.worker);
    switch (step.kind) {
      case StepKind::advance:
        if (const auto when = references_->instant(*step.when, stage_.now()))
          stage_.pass_until(*when);
        break;
      case StepKind::begin_fault:
        return trouble_.begin(step);
      case StepKind::end_fault:
        return trouble_.end(step.slot);
      case StepKind::start_worker:
        return crew_.start(worker);
      case StepKind::stop_worker:
        return crew_.stop(worker);
      case StepKind::kill_worker:
        return crew_.kill(worker);
      default:
        call(step);
    }
  }

  void call(const Step& step) {
    const auto request = references_->request(step, stage_.now());
    if (!request) return;
    if (const auto* pause = std::get_if<Pause>(&*request)) paused_.insert(pause->queue);
    if (const auto* resume = std::get_if<Resume>(&*request)) paused_.erase(resume->queue);
    const auto answer = ask(step.client, *request);
    references_->learn(step, *request, answer.ok() ? &*answer : nullptr, stage_.now());
    if (answer.ok())
      if (const auto* made = std::get_if<Enqueued>(&*answer)) jobs_.insert(made->id);
    if (answer.ok())
      if (const auto* made = std::get_if<Requeued>(&*answer)) jobs_.insert(made->job_id);
  }

  Result<Response> ask(int client, const Request& request) {
    auto& session = sessions_[client];
    if (!session) {
      const ClientSpec& spec = stage_.plan.clients[static_cast<std::size_t>(client)];
      auto opened = stage_.recorded().open({spec.name, spec.role});
      if (!opened.ok()) return opened.error();
      session = std::move(*opened);
    }
    return perform(*session, stage_.now(), request);
  }

  // --- and in the end ---

  // Nobody's call: it is not in the history.
  bool all_have_ended(Session& desk) {
    return std::ranges::all_of(jobs_, [&](const JobId& id) {
      const auto seen = desk.get(stage_.now(), {id});
      return seen.ok() ? is_terminal(seen->job.state) : seen.error().code == ErrorCode::not_found;
    });
  }

  void watch() {
    auto desk = stage_.store().open({"desk", Role::admin});
    if (!desk.ok()) return stage_.trouble(desk.error());
    const Instant deadline = stage_.now() + watched_for;
    for (Duration pause{100}; stage_.now() < deadline && !all_have_ended(**desk);
         pause = std::min<Duration>(pause * 2, 60s))
      stage_.pass_until(stage_.now() + pause);
    static_cast<void>((*desk)->close());
  }

  void account() {
    if (!stage_.store().profile().has("inspect")) return;
    for (const JobId& id : jobs_) static_cast<void>(ask(0, Get{id}));
  }

  detail::EngineStage stage_;
  detail::EngineCrew crew_;
  detail::EngineTrouble trouble_;
  std::optional<detail::References> references_;
  std::map<int, std::unique_ptr<Session>> sessions_;  // of the plan's clients
  std::set<JobId> jobs_;
  std::set<std::string> paused_;
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
