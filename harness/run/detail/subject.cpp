#include "harness/run/detail/subject.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/backend/disk.h"
#include "harness/judge/property.h"
#include "harness/proxy/upstream.h"
#include "harness/run/detail/guarded.h"
#include "harness/run/engine.h"
#include "harness/run/engine_processes.h"
#include "harness/run/network.h"
#include "harness/run/run.h"

namespace assay::detail {
namespace {

std::string told(const Error& error) {
  return error.message.empty() ? std::string(name_of(error.code))
                               : fmt::format("{}: {}", name_of(error.code), error.message);
}

// At this level no fault is injected: a store that fails does so by itself.
const Error* failure_of_the_store(const History& history) {
  for (const Event& event : history.events) {
    const auto* end = std::get_if<ReturnEvent>(&event);
    if (end && end->outcome == OutcomeKind::refused &&
        (end->error.code == ErrorCode::unavailable || end->error.code == ErrorCode::internal))
      return &end->error;
  }
  return nullptr;
}

}  // namespace

bool convicts(const Judgement& judgement, std::string_view rule) {
  if (const auto tally = judgement.tallies.find(rule); tally != judgement.tallies.end())
    if (tally->second.convicted > 0) return true;
  return std::ranges::any_of(judgement.findings, [&](const auto& f) { return f.rule == rule; });
}

Plan as_it_went(Plan plan, const CaseResult& result) {
  if (plan.schedule && plan.workers.empty())
    plan.schedule = {.kind = Schedule::Kind::choices, .choices = result.moves};
  return plan;
}

Status Subject::make() {
  if (driver_) return Done{};
  if (!carrier_) {
    carrier_ =
        spec_.info->interleaving == Interleaving::fibers ? fiber_carrier() : thread_carrier();
    cuts_ = std::make_unique<GateCuts>(carrier_->gates());
  }
  // Only what lives in processes, that die with it, can have its private store there.
  const bool is_on_disk = spec_.disk && !spec_.backend && !spec_.info->apart;
  auto made = guarded([&] {
    Clock& clock = spec_.profile.in_real_time() ? static_cast<Clock&>(real_) : virtual_;
    return spec_.info->make(DriverOptions{spec_.profile, clock, spec_.seed, spec_.url,
                                          is_on_disk ? spec_.disk->path() : spec_.scratch,
                                          spec_.log_folder, cuts_.get()});
  });
  if (!made.ok()) return made.error();
  if (!*made) return Error{ErrorCode::internal, "its factory gave no driver"};
  driver_ = std::move(*made);
  return Done{};
}

Result<Profile> Subject::claims() {
  if (auto made = make(); !made.ok()) return made.error();
  return guarded([&]() -> Result<Profile> { return driver_->profile(); });
}

Status Subject::end() {
  if (apart_)
    if (const Status ended = apart_->end(); !ended.ok()) return ended;
  if (!driver_) return Done{};
  const auto ended = guarded([&] { return driver_->end(); });
  driver_.reset();
  warm_clients_ = 0;
  return ended;
}

// A driver that passes no gates of its own, and shares a store whose protocol we can read, passes
// them on its way there.
StoreGates* Subject::way_to_store() {
  if (spec_.info->interleaving != Interleaving::calls || !spec_.url || !driver_) return nullptr;
  if (store_gates_) return store_gates_.get();
  if (!why_no_gates_.empty()) return nullptr;
  if (!driver_->profile().has("shared_storage")) {
    why_no_gates_ = "the driver does not claim shared_storage, so that its clients share a way";
    return nullptr;
  }
  auto gates = store_gates(*spec_.url);
  if (gates.ok())
    store_gates_ = std::move(*gates);
  else
    why_no_gates_ = gates.error().message;
  return store_gates_.get();
}

Interleaving Subject::interleaving() {
  static_cast<void>(make());
  return way_to_store() ? Interleaving::trips : spec_.info->interleaving;
}

CaseResult Subject::run(const Plan& plan, Strategy* strategy) {
  Stage stage;
  stage.strategy = strategy;
  stage.before_call = before_call_;
  return run(plan, std::move(stage));
}

CaseResult Subject::run_counted(const Plan& plan) {
  Stage stage;
  stage.counts = true;
  return run(plan, std::move(stage));
}

Subject::Subject(SubjectSpec spec) : spec_(std::move(spec)) {}
Subject::~Subject() = default;

bool Subject::has_fault(const Plan& plan, bool (*is)(const FaultInfo&)) const {
  return std::ranges::any_of(plan.steps, [&](const Step& step) {
    if (!step.fault) return false;
    const auto info = find_fault(spec_.faults, *step.fault);
    return info.ok() && is(**info);
  });
}

// Where one of the plan's faults befalls the network, and there is one to a store. The error: there
// is none that does what it is told, which is no trouble of the driver's.
Result<Network*> Subject::lines_for(const Plan& plan) {
  if (!has_fault(plan, [](const FaultInfo& info) { return info.family == "network"; }) ||
      !spec_.url || !driver_ || !driver_->profile().has("shared_storage"))
    return nullptr;
  if (!network_ && !proxy::upstream_of(*spec_.url).ok()) return nullptr;
  if (!network_) {
    auto made = Network::make(*spec_.url, spec_.seed, spec_.make_lines);
    if (!made.ok()) return made.error();
    network_ = std::move(*made);
  }
  if (const Status whole = network_->lines().check(); !whole.ok()) return whole.error();
  return network_.get();
}

Subject* Subject::in_processes(const Plan& plan) {
  if (!spec_.info->apart || !has_faults(plan)) return nullptr;
  if (!apart_) {
    SubjectSpec spec = spec_;
    spec.info = spec_.info->apart.get();
    apart_ = std::make_unique<Subject>(std::move(spec));
  }
  return apart_.get();
}

// What it has open lies on a disk that is no more: another case took the power away.
void Subject::forget_lost_disk() {
  if (!spec_.disk || spec_.backend) return;
  if (std::exchange(losses_, spec_.disk->losses()) == spec_.disk->losses()) return;
  driver_.reset();
  warm_clients_ = 0;
}

CaseResult Subject::run(const Plan& plan, Stage stage) {
  if (!plan.workers.empty()) return run_engine(plan);
  if (Subject* apart = in_processes(plan)) return apart->run(plan, std::move(stage));
  constexpr int tries = 3;
  CaseResult result = run_once(plan, stage);
  for (int i = 1; i < tries && result.was_held_up; ++i) {
    result = run_once(plan, stage);
    result.tried_again = i;
  }
  return result;
}

// One that passes gates of its own is made for the run, on its clock; any other is kept.
Result<KeptDriver> Subject::kept_for_engine() {
  if (spec_.info->interleaving != Interleaving::calls) return KeptDriver{};
  if (auto made = make(); !made.ok()) return made.error();
  return KeptDriver{driver_.get(), spec_.place};
}

CaseResult Subject::run_engine(const Plan& plan) {
  CaseResult result;
  if (!spec_.engine) {
    result.own_trouble = "there is no engine to run " + plan.name + " on";
    return result;
  }
  auto ran = guarded([&]() -> Result<RunResult> {
    if (is_in_processes(plan)) return run_processes(plan);
    const auto kept = kept_for_engine();
    if (!kept.ok()) return kept.error();
    return assay::run_engine(plan, *spec_.info,
                             DriverOptions{spec_.profile, virtual_, spec_.seed, spec_.url,
                                           spec_.scratch, spec_.log_folder, nullptr},
                             *spec_.engine, spec_.name, spec_.faults, *kept);
  });
  const auto broke = [&](const Error& error) {
    return fmt::format("the engine broke in {}: {}", plan.name, told(error));
  };
  if (!ran.ok()) {
    result.driver_trouble = broke(ran.error());
    driver_.reset();
    return result;
  }
  result.history = std::move(ran->history);
  result.faults = std::move(ran->faults);
  result.void_because = std::move(ran->void_because);
  if (ran->trouble) result.driver_trouble = broke(*ran->trouble);
  if (ran->hung) leave_behind();
  if (ran->trouble) driver_.reset();
  judge_engine(result, is_in_processes(plan));
  return result;
}

// Its driver is made for the run, in the machine's own time.
Result<RunResult> Subject::run_processes(const Plan& plan) {
  if (spec_.worker_program.empty())
    return unsupported("there is no program here that could be a worker");
  if (auto made = make(); !made.ok()) return made.error();
  if (const Status kept = keep_journal(); !kept.ok()) return kept.error();
  const auto lines = lines_for(plan);
  if (!lines.ok()) return lines.error();
  return run_in_processes(plan,
                          {.driver = *spec_.info,
                           .profile = spec_.profile,
                           .url = spec_.url,
                           .scratch = spec_.scratch,
                           .log_folder = spec_.log_folder,
                           .seed = spec_.seed,
                           .place = spec_.place,
                           .program = spec_.worker_program,
                           .faults = spec_.faults,
                           .journal = journal_ ? &*journal_ : nullptr,
                           .backend = spec_.backend,
                           .has_foreign_server = !spec_.backend && spec_.url &&
                                                 spec_.url->find("://") != std::string::npos,
                           .network = *lines,
                           .on_fault = spec_.on_fault},
                          *spec_.engine, spec_.name);
}

CaseResult Subject::run_once(const Plan& plan, Stage stage) {
  forget_lost_disk();
  CaseResult result;
  if (auto made = make(); !made.ok()) {
    result.driver_trouble = "the driver cannot be made: " + told(made.error());
  } else {
    stage.carrier = carrier_.get();
    stage.interleaving = spec_.info->interleaving;
    const bool is_scheduled = plan.schedule && is_free(plan);
    const bool needs_cuts = stage.counts || has_cuts(plan) ||
                            has_fault(plan, [](const FaultInfo& info) { return info.at_requests; });
    if (auto* store = is_scheduled || needs_cuts ? way_to_store() : nullptr) {
      stage.carrier = stage.store = store;
      stage.interleaving = Interleaving::trips;
      warm_up(plan, store);
    }
    if (needs_cuts && stage.store)
      stage.cuts = stage.store;
    else if (needs_cuts && stage.interleaving != Interleaving::calls)
      stage.cuts = cuts_.get();
    drive(plan, stage, result);
  }
  if (!result.own_trouble) judge(result);
  if (result.driver_trouble) {
    driver_.reset();
    warm_clients_ = 0;
  }
  return result;
}

// A client's first requests on a connection are others than those that follow: it says how the
// connection is to be, and has statements and scripts prepared. Nobody wants to see those in one
// run and not in the next.
void Subject::warm_up(const Plan& plan, StoreGates* store) {
  if (plan.clients.size() <= warm_clients_) return;
  warm_clients_ = plan.clients.size();
  Plan untouched = plan;
  untouched.schedule.reset();
  for (Step& step : untouched.steps) step.cut.reset();
  std::erase_if(untouched.steps, [](const Step& step) {
    return step.kind == StepKind::begin_fault || step.kind == StepKind::end_fault;
  });
  Stage stage;
  stage.store = store;
  CaseResult unjudged;
  drive(untouched, stage, unjudged);
}

void Subject::drive(const Plan& plan, Stage stage, CaseResult& result) {
  stage.place = spec_.place;
  stage.faults = spec_.faults;
  stage.on_fault = spec_.on_fault;
  if (const Status kept = has_faults(plan) ? keep_journal() : Status(Done{}); !kept.ok()) {
    result.own_trouble = kept.error().message;
    return;
  }
  stage.scratch = spec_.scratch;
  stage.journal = journal_ ? &*journal_ : nullptr;
  stage.backend = spec_.backend;
  stage.has_foreign_server =
      !spec_.backend && spec_.url && spec_.url->find("://") != std::string::npos;
  stage.disk = spec_.disk;
  stage.why_no_disk = spec_.why_no_disk;
  if (!stage.store) {
    const auto lines = lines_for(plan);
    if (!lines.ok()) return fail_ourselves(lines.error().message, result);
    stage.network = *lines;
  }
  stage.impatient = spec_.info->impatient;
  stage.patience = &patience_;
  stage.threads = &threads_;
  if (stage.network) static_cast<void>(stage.network->lines().hiccup());
  carry_out(plan, stage, result);
  if (!stage.network) return;
  if (const auto hiccup = stage.network->lines().hiccup(); hiccup && result.driver_trouble) {
    result.was_held_up = true;
    blame_nobody(*hiccup, result);
  }
  if (const Status whole = stage.network->lines().check(); !whole.ok())
    fail_ourselves(whole.error().message, result);
}

void Subject::carry_out(const Plan& plan, const Stage& stage, CaseResult& result) {
  auto ran =
      guarded([&]() -> Result<RunResult> { return assay::run(plan, *driver_, spec_.name, stage); });
  if (!ran.ok()) {
    result.driver_trouble = fmt::format("the driver broke in {}: {}", plan.name, told(ran.error()));
    return;
  }
  result.history = std::move(ran->history);
  result.moves = std::move(ran->moves);
  result.lost_sight = ran->lost_sight;
  result.trips = std::move(ran->trips);
  result.gates_of_step = std::move(ran->gates_of_step);
  result.cuts = ran->cuts;
  result.faults = std::move(ran->faults);
  result.void_because = std::move(ran->void_because);
  result.was_held_up = ran->was_too_hasty;
  if (ran->was_too_hasty && !result.void_because)
    result.void_because = "a call went without an answer before anything was made to go wrong";
  if (ran->hung) leave_behind();
  const bool may_fail = has_cuts(plan) || has_faults(plan);
  const Error* failure = may_fail ? nullptr : failure_of_the_store(result.history);
  if (failure)
    result.driver_trouble = fmt::format("the store failed in {}: {}", plan.name, told(*failure));
  if (const auto why = stage.store ? stage.store->take_refusal() : std::string(); !why.empty())
    result.driver_trouble = fmt::format("the driver broke in {}: {}", plan.name, why);
  else if (ran->trouble)
    result.driver_trouble =
        fmt::format("the driver broke in {}: {}", plan.name, told(*ran->trouble));
}

void Subject::fail_ourselves(const std::string& why, CaseResult& result) {
  result.own_trouble = why;
  blame_nobody(why, result);
}

// Nothing is concluded from the case, and the driver is not to blame for what became of it.
void Subject::blame_nobody(const std::string& why, CaseResult& result) {
  result.void_because = why;
  result.driver_trouble.reset();
  driver_.reset();
  warm_clients_ = 0;
}

// Nothing is made to go wrong that is not written down, where there is a folder for it.
Status Subject::keep_journal() {
  if (journal_ || spec_.scratch.empty()) return Done{};
  auto journal = Journal::open(spec_.scratch);
  if (!journal.ok()) return journal.error();
  journal_.emplace(std::move(*journal));
  return Done{};
}

// A client that never came back still uses both.
void Subject::leave_behind() {
  static_cast<void>(driver_.release());
  static_cast<void>(carrier_.release());
  static_cast<void>(cuts_.release());
  static_cast<void>(store_gates_.release());
}

// By the rules of an engine alone: those of its driver are decided where a driver is certified, and
// a history with many lost answers takes long to explain.
void Subject::judge_engine(CaseResult& result, bool in_processes) {
  if (engine_properties_.empty())
    for (const Property& property : spec_.properties)
      if (property.engine)
        engine_properties_.push_back(
            {.family = property.family, .rules = property.rules, .engine = property.engine});
  constexpr JudgeLimits hasty{.steps = 10'000};
  auto judged = guarded([&]() -> Result<Judgement> {
    return Judge(result.history.profile, engine_properties_, hasty).judge(result.history);
  });
  if (judged.ok())
    result.judgement = std::move(*judged);
  else
    result.own_trouble = "judging broke off: " + told(judged.error());
  result.judgement.undecided = 0;  // of the driver's
  if (!in_processes) return;
  std::erase_if(result.judgement.findings,
                [](const Finding& found) { return !is_judged_in_processes(found.rule); });
  Tallies kept;
  for (const auto& [rule, tally] : result.judgement.tallies)
    if (is_judged_in_processes(rule)) kept.append(rule, tally);
  result.judgement.tallies = std::move(kept);
}

void Subject::judge(CaseResult& result) {
  auto judged = guarded([&]() -> Result<Judgement> {
    if (!judge_ || judge_->profile() != result.history.profile)
      judge_.emplace(result.history.profile, spec_.properties);
    return judge_->judge(result.history);
  });
  if (judged.ok()) {
    result.judgement = std::move(*judged);
    return;
  }
  result.own_trouble = "judging broke off: " + told(judged.error());
  judge_.reset();
}

}  // namespace assay::detail
