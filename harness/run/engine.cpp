#include "harness/run/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "harness/run/certify.h"
#include "harness/run/detail/engine_crew.h"
#include "harness/run/detail/engine_flows.h"
#include "harness/run/detail/engine_trouble.h"
#include "harness/run/detail/references.h"

namespace assay {

using namespace std::chrono_literals;

const EngineInfo* find_engine(std::span<const EngineInfo> engines, std::string_view name) {
  for (const EngineInfo& engine : engines)
    if (name.empty() || engine.name == name) return &engine;
  return nullptr;
}

static constexpr std::array<std::string_view, 3> ways{"submit", "submit_and_wait", "send_event"};

std::string_view name_of(CallerOrder::Way way) { return ways[static_cast<std::size_t>(way)]; }

std::optional<CallerOrder::Way> way_from(std::string_view name) {
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (ways[i] == name) return static_cast<CallerOrder::Way>(i);
  return std::nullopt;
}

Result<CallerAnswer> RunningWorker::ask(const CallerOrder&) {
  return unsupported("nobody hands anything in through it");
}

Profile with_engine(Profile profile, const EngineInfo& engine) {
  profile.capabilities.insert(engine.capabilities.begin(), engine.capabilities.end());
  return profile;
}

DispatcherPace pace_of(const WorkerSpec& spec) {
  const Duration every = spec.every.value_or(500ms);
  return {every, every * 4, every * 4, every * 10, 60s};
}

std::optional<std::string> why_no_engine(const DriverInfo& driver, const Profile& profile) {
  if (profile.in_real_time()) return fmt::format("{} lives by a clock that runs", driver.name);
  return std::nullopt;
}

namespace {

// How long every job is waited for once all faults have ended: longer than any pause of a contract.
constexpr Duration watched_for = 6h;
constexpr Duration flows_watched_for = 15min;
// So long schedules go on behind the last step, and whoever waits for a job does.
constexpr Duration last_windows = 3min;
constexpr Duration patience_of_callers = 30min;

class EngineRun {
 public:
  EngineRun(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
            const EngineInfo& engine, const std::string& driver_name,
            std::span<const FaultInfo> faults, const KeptDriver& kept)
      : stage_(plan, driver, options, engine, driver_name, kept),
        crew_(stage_),
        trouble_(stage_, faults),
        flows_(stage_) {}

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
    for (const FaultRecord& fault : result.faults)
      if (fault.is_void() && !result.void_because)
        result.void_because = fmt::format("{}: {}", fault.fault, fault.why_not);
    result.trouble = stage_.trouble();
    if (!ran.is_whole()) {
      result.trouble =
          Error{ErrorCode::internal, "the engine does not come to an end: " + ran.told()};
      result.hung = true;
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
    crew_.spare_all();
    trouble_.end_all();
    for (const std::string& queue : paused_) static_cast<void>(ask(0, Resume{queue}));
    crew_.start_all();
    settle();
    watch();
    stage_.tell({.kind = EngineEvent::Kind::watched});
    crew_.end_all();
    account();
    flows_.tell_what_is_there(crew_.jobs_with_outputs());
    for (auto& [client, session] : sessions_)
      if (session) static_cast<void>(session->close());
    client_.reset();
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
        return step.limit ? crew_.kill_at_call(worker, *step.limit) : crew_.kill(worker);
      case StepKind::submit_flow:
        return flows_.submit(step);
      case StepKind::sweep_flows:
        return flows_.sweep(step);
      case StepKind::declare_schedule:
      case StepKind::pause_schedule:
      case StepKind::resume_schedule:
        return change_schedule(step);
      case StepKind::enqueue:
        return step.worker < 0 ? call(step) : order(step);
      default:
        call(step);
    }
  }

  void call(const Step& step) {
    const auto request = references_->request(step, stage_.now());
    if (!request) return;
    if (const auto* pause = std::get_if<Pause>(&*request)) paused_.insert(pause->queue);
    if (const auto* resume = std::get_if<Resume>(&*request)) paused_.erase(resume->queue);
    const auto answer = step.announced ? announce(*request) : ask(step.client, *request);
    references_->learn(step, *request, answer.ok() ? &*answer : nullptr, stage_.now());
    if (answer.ok())
      if (const auto* made = std::get_if<Enqueued>(&*answer)) jobs_.insert(made->id);
    if (answer.ok())
      if (const auto* made = std::get_if<Requeued>(&*answer)) jobs_.insert(made->job_id);
  }

  Result<Session*> session_of(int client) {
    auto& session = sessions_[client];
    if (!session) {
      const ClientSpec& spec = stage_.plan.clients[static_cast<std::size_t>(client)];
      auto opened = stage_.recorded().open({spec.name, spec.role});
      if (!opened.ok()) return opened.error();
      session = std::move(*opened);
    }
    return session.get();
  }

  Result<Response> ask(int client, const Request& request) {
    const auto session = session_of(client);
    if (!session.ok()) return session.error();
    return perform(**session, stage_.now(), request);
  }

  // --- through the engine ---

  static NewJob job_in(const Step& step) {
    NewJob job;
    job.queue = step.queues.empty() ? "" : step.queues.front();
    job.type = step.type;
    job.payload = bytes_of(step.payload);
    job.max_attempts = step.limit;
    job.key = step.key;
    return job;
  }

  void order(const Step& step) {
    const auto way = way_from(step.what);
    if (!way) return;
    crew_.ask(static_cast<std::size_t>(step.worker), step.slot,
              {*way, job_in(step), patience_of_callers});
  }

  // Where nobody knows whether it took effect, that is said.
  void change_schedule(const Step& step) {
    using Kind = EngineEvent::Kind;
    ScheduleOrder order;
    EngineEvent event{.kind = Kind::schedule_declared};
    event.word = step.what;
    order.recurring.name = step.what;
    if (step.kind == StepKind::declare_schedule) {
      const auto read = recurring_from(step.what);
      if (!read) return;
      order.recurring = *read;
      order.job = job_in(step);
      order.job.payload += mark_of_recurring(read->name);
    } else {
      const bool pauses = step.kind == StepKind::pause_schedule;
      order.kind = pauses ? ScheduleOrder::Kind::pause : ScheduleOrder::Kind::resume;
      event.kind = pauses ? Kind::schedule_paused : Kind::schedule_resumed;
    }
    const auto session = session_of(step.client);
    if (!session.ok() || !stage_.engine.schedule) return;
    const Status done = stage_.engine.schedule(stage_.runtime().clock(), **session, order);
    if (!done.ok() && is_definite(done.error())) return;
    event.run = done.ok() ? 0 : 1;
    stage_.tell(std::move(event));
  }

  // All that is made by itself or on somebody's order is made, and known.
  void settle() {
    const auto makes = [](const WorkerSpec& spec) {
      return spec.kind == WorkerSpec::Kind::scheduler || spec.kind == WorkerSpec::Kind::caller;
    };
    if (std::ranges::none_of(stage_.plan.workers, makes)) return;
    stage_.pass_until(stage_.now() + last_windows);
    crew_.end_schedulers();
    crew_.end_asking();
    for (const Event& event : stage_.recorded().history().events)
      if (const auto* end = std::get_if<ReturnEvent>(&event);
          end && end->outcome == OutcomeKind::ok)
        if (const auto* made = std::get_if<Enqueued>(&end->response)) jobs_.insert(made->id);
  }

  static constexpr const char* client = "client";  // of the engine

  // By the engine's own client, where it has one.
  Result<Response> announce(const Request& request) {
    const auto* enqueue = std::get_if<Enqueue>(&request);
    if (!enqueue || !stage_.engine.make_client) return ask(0, request);
    if (!client_) {
      client_driver_ =
          std::make_unique<InterceptedDriver>(stage_.recorded(), crew_.known_as(client));
      EngineEvent event{.kind = EngineEvent::Kind::worker_started, .worker = client};
      event.word = ";";
      event.numbers = {{"outbox", 1}};
      stage_.tell(std::move(event));
      auto made = stage_.engine.make_client(stage_.runtime(), *client_driver_, stage_.seed);
      if (!made.ok()) return made.error();
      client_ = std::move(*made);
    }
    auto answer = client_->enqueue(enqueue->job);
    if (!answer.ok()) return answer.error();
    return Response(*answer);
  }

  // --- and in the end ---

  // Nobody's call: it is not in the history.
  bool is_served(const std::string& queue) const {
    return std::ranges::any_of(stage_.plan.workers, [&](const WorkerSpec& worker) {
      return worker.kind == WorkerSpec::Kind::worker &&
             std::ranges::find(worker.queues, queue) != worker.queues.end();
    });
  }

  // But for those, such as events, that nobody is there to run.
  bool all_have_ended(Session& desk) {
    jobs_.insert(trouble_.jobs_made().begin(), trouble_.jobs_made().end());
    return std::ranges::all_of(jobs_, [&](const JobId& id) {
      const auto seen = desk.get(stage_.now(), {id});
      if (!seen.ok()) return seen.error().code == ErrorCode::not_found;
      return is_terminal(seen->job.state) || !is_served(seen->job.queue);
    });
  }

  bool has_dispatcher() const {
    return std::ranges::any_of(stage_.plan.workers, [](const WorkerSpec& worker) {
      return worker.kind == WorkerSpec::Kind::dispatcher;
    });
  }
  bool all_is_announced() const { return !has_dispatcher() || !stage_.outbox().has_pending(); }

  // A dispatcher looks so often that a long time is dear; and what it announces in vain it
  // announces again after at most as long as all of that took.
  Duration patience() {
    return has_dispatcher() ? Duration(1h) + (stage_.now() - run_epoch) * 3 : watched_for;
  }

  void watch() {
    auto desk = stage_.store().open({"desk", Role::admin});
    if (!desk.ok()) return stage_.trouble(desk.error());
    const Instant deadline = stage_.now() + patience();
    // A flow with no job left goes on within that time, or never.
    Instant flows_deadline = stage_.now() + flows_watched_for;
    for (Duration pause{100}; stage_.now() < deadline; pause = std::min<Duration>(pause * 2, 60s)) {
      if (!(all_have_ended(**desk) && all_is_announced()))
        flows_deadline = stage_.now() + flows_watched_for;
      else if (flows_.all_have_ended() || stage_.now() >= flows_deadline)
        break;
      stage_.pass_until(stage_.now() + pause);
    }
    static_cast<void>((*desk)->close());
  }

  void account() {
    if (!stage_.store().profile().has("inspect")) return;
    for (const JobId& id : jobs_) static_cast<void>(ask(0, Get{id}));
  }

  detail::EngineStage stage_;
  detail::EngineCrew crew_;
  detail::EngineTrouble trouble_;
  detail::EngineFlows flows_;
  std::optional<detail::References> references_;
  std::map<int, std::unique_ptr<Session>> sessions_;  // of the plan's clients
  std::unique_ptr<InterceptedDriver> client_driver_;
  std::unique_ptr<EngineClient> client_;
  std::set<JobId> jobs_;
  std::set<std::string> paused_;
};

}  // namespace

RunResult run_engine(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
                     const EngineInfo& engine, const std::string& driver_name,
                     std::span<const FaultInfo> faults, const KeptDriver& kept) {
  RunResult result;
  auto run = std::make_unique<EngineRun>(plan, driver, options, engine, driver_name, faults, kept);
  // Whoever stands still in it for good still has it.
  if (!run->run(result)) static_cast<void>(run.release());
  return result;
}

}  // namespace assay
