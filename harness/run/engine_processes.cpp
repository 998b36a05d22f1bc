#include "harness/run/engine_processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "harness/contract/stamp.h"
#include "harness/run/detail/fault_work.h"
#include "harness/run/detail/references.h"
#include "harness/run/detail/worker_crew.h"
#include "harness/run/recorded_driver.h"

namespace assay {

using namespace std::chrono_literals;

bool is_in_processes(const Plan& plan) {
  const auto befalls_processes = [](const Step& step) {
    return step.fault &&
           std::ranges::find(process_faults, step.fault->name) != std::end(process_faults);
  };
  return !plan.workers.empty() && std::ranges::any_of(plan.steps, befalls_processes);
}

bool is_judged_in_processes(std::string_view rule) {
  static constexpr std::string_view rules[] = {"DELIV-1",  "DUR-3",    "EXEC-1", "EXEC-3",
                                               "POLICY-2", "RETRY-12", "TIME-4", "XWORK-2"};
  return std::ranges::find(rules, rule) != std::end(rules);
}

namespace {

// Time is the machine's, and failures are retried soon.
Profile in_real_time(Profile profile) {
  profile.capabilities.erase("virtual_time");
  profile.backoff = {Duration{20}, Duration{200}};
  return profile;
}

// How long every job is waited for once all faults have ended, on a machine that is never late;
// and so many times as long as it was late at most.
constexpr Duration watched_for = 30s;
constexpr int lateness_counts = 40;

class ProcessRun {
 public:
  ProcessRun(const Plan& plan, const ProcessGrounds& grounds, const EngineInfo& engine,
             const std::string& driver_name)
      : plan_(plan),
        grounds_(grounds),
        engine_(engine),
        name_(driver_name),
        profile_(in_real_time(grounds.profile)) {}

  RunResult run() {
    RunResult result;
    if (const Status ready = set_up(); !ready.ok()) {
      result.trouble = ready.error();
      return result;
    }
    play();
    faults_.reset();
    if (const Status whole = put_together(result.history); !whole.ok()) trouble(whole.error());
    result.trouble = trouble_;
    for (const FaultRecord& record : records_) {
      if (record.is_void() && !result.void_because)
        result.void_because = fmt::format("{}: {}", record.fault, record.why_not);
      result.faults.push_back(record);
    }
    sessions_.clear();
    static_cast<void>(driver_->teardown());
    return result;
  }

 private:
  Status set_up() {
    std::optional<std::string> url = grounds_.url;
    if (!url && grounds_.driver.private_store) {
      auto made = grounds_.driver.private_store(grounds_.scratch);
      if (!made.ok()) return made.error();
      url = *made;
    }
    auto made = grounds_.driver.make({profile_, clock_, grounds_.seed, url, grounds_.scratch});
    if (!made.ok()) return made.error();
    driver_ = std::move(*made);
    RecordedOptions recording{.driver = name_, .plan = plan_.name};
    recording.told = [this](const Event& event, const auto&) {
      const std::lock_guard lock(mutex_);
      own_.push_back({stamp_ns(), event});
    };
    recorded_ = std::make_unique<RecordedDriver>(*driver_, std::move(recording));
    const std::string name_space = fmt::format("assay_{}_workers_{}", getpid(), grounds_.place);
    if (const Status ready = recorded_->setup({name_space}); !ready.ok()) return ready;
    references_.emplace(plan_, driver_->profile());
    WorkerOrder order{.driver = grounds_.driver.name,
                      .url = url,
                      .name_space = name_space,
                      .profile = driver_->profile(),
                      .engine = engine_.name,
                      .worker = {},
                      .seed = grounds_.seed};
    crew_ = std::make_unique<detail::WorkerCrew>(
        plan_, grounds_, std::move(order), [this](EngineEvent event) { tell(std::move(event)); });
    faults_ =
        std::make_unique<detail::FaultWork>(grounds_.faults, *crew_, grounds_.journal,
                                            [this](FaultEvent event) { tell(std::move(event)); });
    return Done{};
  }

  // --- what is written down ---

  void tell(EngineEvent event) {
    event.now = clock_.now();
    recorded_->record(std::move(event));
  }

  // Its clients are ours; those of a fault are workers.
  void tell(FaultEvent event) {
    const auto worker = std::exchange(event.client, std::nullopt);
    if (event.effect != FaultEffect::store_away) event.effect = FaultEffect::none;
    event.in_flight.clear();
    if (grounds_.on_fault) grounds_.on_fault(event);
    const auto info = find_fault(grounds_.faults, {event.fault});
    if (worker && info.ok() && (*info)->family == "network") lose_line(event.stage, *worker);
    recorded_->record(std::move(event));
  }

  void lose_line(FaultEvent::Stage stage, int worker) {
    using Kind = EngineEvent::Kind;
    const std::string& name = plan_.workers[static_cast<std::size_t>(worker)].name;
    if (stage == FaultEvent::Stage::begun)
      tell(EngineEvent{.kind = Kind::line_lost, .worker = name});
    if (stage == FaultEvent::Stage::ended)
      tell(EngineEvent{.kind = Kind::line_back, .worker = name});
  }

  void trouble(Error error) {
    if (!trouble_) trouble_ = std::move(error);
  }
  void check(const Status& done) {
    if (!done.ok()) trouble(done.error());
  }

  // --- the plan ---

  void play() {
    tell(EngineEvent{.kind = EngineEvent::Kind::begins, .word = engine_.name});
    check(crew_->start_all());
    for (const Step& step : plan_.steps) {
      if (trouble_) break;
      make(step);
      if (auto ended = crew_->unforeseen()) trouble(std::move(*ended));
    }
    faults_->end_all();
    records_ = faults_->records();
    for (const std::string& queue : paused_) static_cast<void>(ask(0, Resume{queue}));
    if (!trouble_) check(crew_->start_all());
    if (!trouble_) watch();
    check(crew_->end_all());
    if (!trouble_) account();
    for (auto& [client, session] : sessions_)
      if (session) static_cast<void>(session->close());
  }

  void make(const Step& step) {
    const auto worker = static_cast<std::size_t>(step.worker);
    switch (step.kind) {
      case StepKind::advance:
        if (const auto when = references_->instant(*step.when, clock_.now())) sleep_until(*when);
        break;
      case StepKind::begin_fault:
        return befall(step);
      case StepKind::end_fault:
        return faults_->end(step.slot);
      case StepKind::start_worker:
        return check(crew_->start(worker));
      case StepKind::stop_worker:
        return crew_->stop(worker);
      case StepKind::kill_worker: {
        Step killed = step;
        killed.slot = -2;  // nobody ends it
        killed.fault = FaultSpec{"kill_worker"};
        return befall(killed);
      }
      default:
        call(step);
    }
  }

  void befall(Step step) {
    step.client = step.worker;
    step.fault->everybody = step.worker < 0;
    static_cast<void>(faults_->begin(step, {}));
  }

  void sleep_until(Instant when) {
    clock_.sleep_until(when, {});
    lateness_ = std::max(lateness_, clock_.now() - when);
  }

  void call(const Step& step) {
    const auto request = references_->request(step, clock_.now());
    if (!request) return;
    if (const auto* pause = std::get_if<Pause>(&*request)) paused_.insert(pause->queue);
    if (const auto* resume = std::get_if<Resume>(&*request)) paused_.erase(resume->queue);
    const auto answer = ask(step.client, *request);
    references_->learn(step, *request, answer.ok() ? &*answer : nullptr, clock_.now());
    if (!answer.ok()) return;
    if (const auto* made = std::get_if<Enqueued>(&*answer)) jobs_.insert(made->id);
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
    return perform(*session, clock_.now(), request);
  }

  // --- and in the end ---

  bool all_have_ended(Session& desk) {
    return std::ranges::all_of(jobs_, [&](const JobId& id) {
      const auto seen = desk.get(clock_.now(), {id});
      return seen.ok() ? is_terminal(seen->job.state) : seen.error().code == ErrorCode::not_found;
    });
  }

  void watch() {
    auto desk = driver_->open({"desk", Role::admin});
    if (!desk.ok()) return trouble(desk.error());
    const Instant began = clock_.now();
    while (!all_have_ended(**desk) &&
           clock_.now() < began + watched_for + lateness_counts * lateness_) {
      sleep_until(clock_.now() + 20ms);
      if (auto ended = crew_->unforeseen()) return trouble(std::move(*ended));
    }
    static_cast<void>((*desk)->close());
    tell(EngineEvent{.kind = EngineEvent::Kind::watched});
  }

  void account() {
    if (!driver_->profile().has("inspect")) return;
    for (const JobId& id : jobs_) static_cast<void>(ask(0, Get{id}));
  }

  Status put_together(History& history) {
    history = recorded_->history();
    history.profile = with_engine(driver_->profile(), engine_);
    detail::Merged merged;
    {
      const std::lock_guard lock(mutex_);
      merged.add(std::move(own_), recorded_->clients());
    }
    if (const Status added = crew_->add_to(merged); !added.ok()) return added;
    merged.into(history);
    return Done{};
  }

  const Plan& plan_;
  const ProcessGrounds& grounds_;
  const EngineInfo& engine_;
  const std::string name_;
  const Profile profile_;
  RealClock clock_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<RecordedDriver> recorded_;
  std::optional<detail::References> references_;
  std::unique_ptr<detail::WorkerCrew> crew_;
  std::unique_ptr<detail::FaultWork> faults_;
  std::vector<FaultRecord> records_;
  std::map<int, std::unique_ptr<Session>> sessions_;  // of the plan's clients
  std::set<JobId> jobs_;
  std::set<std::string> paused_;
  Duration lateness_{0};  // the most that a sleep of ours was
  std::mutex mutex_;      // of what follows
  std::vector<detail::StampedEvent> own_;
  std::optional<Error> trouble_;
};

}  // namespace

RunResult run_in_processes(const Plan& plan, const ProcessGrounds& grounds,
                           const EngineInfo& engine, const std::string& driver_name) {
  return ProcessRun(plan, grounds, engine, driver_name).run();
}

}  // namespace assay
