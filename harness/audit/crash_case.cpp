#include "harness/audit/detail/crash_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <set>

#include "harness/contract/random.h"
#include "harness/judge/judge.h"
#include "harness/plan/generate.h"
#include "harness/plan/story.h"
#include "harness/run/detail/needs.h"
#include "harness/run/run.h"

namespace assay::detail {
namespace {

// A drawn plan with a look at every job after the crash and at the end.
struct CrashPlan {
  Plan plan;
  std::size_t crash_at = 0;  // before this step the crash begins
  std::size_t looks_at = 0;  // and before this one it is over at the latest
};

bool makes_a_job(const Step& step) {
  return (step.kind == StepKind::enqueue || step.kind == StepKind::requeue) && step.slot >= 0;
}

std::vector<Step> looks_at_all(std::span<const Step> steps, std::size_t clients) {
  std::set<int> closed, slots;
  for (const Step& step : steps) {
    if (step.kind == StepKind::close) closed.insert(step.client);
    if (makes_a_job(step)) slots.insert(step.slot);
  }
  int client = 0;
  while (closed.contains(client)) ++client;
  std::vector<Step> looks;
  if (client >= static_cast<int>(clients)) return looks;
  for (const int slot : slots) {
    Step look;
    look.kind = StepKind::get;
    look.client = client;
    look.job.kind = JobRef::Kind::made;
    look.job.slot = slot;
    looks.push_back(std::move(look));
  }
  return looks;
}

CrashPlan crash_plan(const Profile& profile, std::uint64_t seed, bool in_flight) {
  Random random = Random(seed).fork("crash");
  CrashPlan made;
  made.plan = generate(profile, seed, {.steps = in_flight ? 400 : 80});
  auto& steps = made.plan.steps;
  const std::size_t middle = steps.size() / 4 + random.below(steps.size() / 2 + 1);
  made.crash_at = middle;
  // Where it hits a call under way, nobody knows when it does: the looks are at the end.
  made.looks_at = in_flight ? steps.size() : middle;
  const auto looks = looks_at_all(std::span(steps).first(made.looks_at), made.plan.clients.size());
  steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(made.looks_at), looks.begin(),
               looks.end());
  if (!in_flight) {
    const auto last = looks_at_all(steps, made.plan.clients.size());
    steps.insert(steps.end(), last.begin(), last.end());
  }
  return made;
}

bool is_change(const Request& request) {
  return !std::holds_alternative<Get>(request) && !std::holds_alternative<List>(request) &&
         !std::holds_alternative<Dead>(request) && !std::holds_alternative<Close>(request);
}

// What was acknowledged before the crash.
struct Accepted {
  std::set<JobId> jobs;
  std::uint64_t changes = 0;

  explicit Accepted(const History& history) {
    const CallEvent* call = nullptr;
    for (const Event& event : history.events) {
      if (const auto* begun = std::get_if<CallEvent>(&event)) call = begun;
      const auto* end = std::get_if<ReturnEvent>(&event);
      if (!end || end->outcome != OutcomeKind::ok) continue;
      changes += call && is_change(call->request) ? 1 : 0;
      if (const auto* made = std::get_if<Enqueued>(&end->response)) jobs.insert(made->id);
    }
  }

  std::optional<std::string> missing_in(const History& history, std::size_t from) const {
    const CallEvent* call = nullptr;
    for (std::size_t i = from; i < history.events.size(); ++i) {
      if (const auto* begun = std::get_if<CallEvent>(&history.events[i])) call = begun;
      const auto* end = std::get_if<ReturnEvent>(&history.events[i]);
      const auto* get = end && call ? std::get_if<Get>(&call->request) : nullptr;
      if (get && end->outcome == OutcomeKind::refused && end->error.code == ErrorCode::not_found &&
          jobs.contains(get->job_id))
        return fmt::format("job {} was accepted before the crash and is gone after it",
                           get->job_id);
    }
    return std::nullopt;
  }
};

std::string story_of(const History& history, const Judgement& judgement, std::string_view rule) {
  for (const Finding& finding : judgement.findings)
    if (finding.rule == rule) return tell(history, finding);
  return fmt::format("{} is violated", rule);
}

class CrashCase {
 public:
  CrashCase(AuditedStore& store, const AuditOptions& options, const Parts& parts,
            std::uint64_t number, AuditCell& cell)
      : store_(store), options_(options), parts_(parts), number_(number), cell_(cell) {}

  Status run() {
    const std::uint64_t seed = Random(options_.seed).fork(fmt::format("audit/{}", number_)).next();
    // Every other one hits a call under way. A clock in the store must not stand between two
    // instants, so there none does.
    in_flight_ = number_ % 2 == 1 && options_.profile.clock == ClockKnob::caller;
    made_ = crash_plan(options_.profile, seed, in_flight_);
    seed_ = seed;
    if (Status begun = begin(); !begun) return begun;
    const Interruptions interruptions{
        [&](std::size_t step) { return before(step); },
        [&](const Error& error) { return failed(error); },
    };
    RunResult ran = run_interrupted(made_.plan, *drivers_.back(), options_.driver, interruptions);
    if (crashing_.valid()) crashing_.wait();
    if (ours_) return *ours_;
    if (!lost_ && ran.trouble) return *ran.trouble;
    if (!recovered_) return Error{ErrorCode::internal, "the store was not crashed"};
    // What is not looked at by the plan may be broken as well.
    if (!lost_)
      if (Status after = make_namespace(fmt::format("audit_{}_after", number_)); !after)
        lost_ = "after the crash nothing new can be begun: " + after.error().message;
    weigh(ran);
    return Done{};
  }

 private:
  Status begin() {
    const Status ready = make_namespace(fmt::format("audit_{}", number_));
    return ready ? attach() : ready;
  }

  Status make_namespace(const std::string& name) {
    auto safe = store_.driver(seed_, true);
    return safe ? (*safe)->setup({name}) : Status(safe.error());
  }

  // A driver of its own names and tokens: what started again draws anew.
  Status attach() {
    auto driver = store_.driver(seed_ + 1 + drivers_.size(), false);
    if (!driver) return driver.error();
    if (Status ready = (*driver)->setup({fmt::format("audit_{}", number_), Create::never}); !ready)
      return ready;
    drivers_.push_back(std::move(*driver));
    return Done{};
  }

  Result<Driver*> before(std::size_t step) {
    if (step == made_.crash_at && !crashing_.valid()) {
      crashing_ = std::async(std::launch::async, [&] { return store_.crash(); });
      if (!in_flight_) return recover();
    }
    if (step == made_.looks_at && !recovered_) return recover();
    return nullptr;
  }

  Result<Driver*> failed(const Error& error) {
    if (crashing_.valid() && !recovered_) {
      hit_ = true;
      return recover();
    }
    if (recovered_)
      lost_ = "after the crash a call fails: " + error.message;
    else
      ours_ = error;
    return error;
  }

  Result<Driver*> recover() {
    if (Status crashed = crashing_.get(); !crashed) {
      ours_ = crashed.error();
      return crashed.error();
    }
    recovered_ = true;
    if (Status back = store_.restart(); !back) {
      lost_ = "the store does not start again: " + back.error().message;
      return back.error();
    }
    if (Status again = attach(); !again) {
      lost_ = "the store does not know its jobs any more: " + again.error().message;
      return again.error();
    }
    return drivers_.back().get();
  }

  // The first event behind the crash; of a call under way, its beginning.
  std::size_t crash_event(const RunResult& ran) const {
    const auto& events = ran.history.events;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto* call = std::get_if<CallEvent>(&events[i]);
      if (!call) continue;
      const auto* end = i + 1 < events.size() ? std::get_if<ReturnEvent>(&events[i + 1]) : nullptr;
      if (hit_ ? end && end->outcome == OutcomeKind::unknown
               : ran.step_of_op[call->op] >= (in_flight_ ? made_.looks_at : made_.crash_at))
        return i;
    }
    return events.size();
  }

  void note(std::string_view rule, std::uint64_t triggered,
            const std::optional<std::string>& story) {
    if (triggered == 0 && !story) return;
    AuditRule& entry = cell_.rules[std::string(rule)];
    entry.triggered += std::max<std::uint64_t>(triggered, 1);
    if (story && entry.convicted++ == 0) entry.story = *story;
  }

  void weigh(const RunResult& ran) {
    const std::size_t crash = crash_event(ran);
    History before = ran.history;
    before.events.resize(crash);
    const Accepted accepted(before);
    ++cell_.cases;
    cell_.in_flight += hit_ ? 1 : 0;
    cell_.operations += ran.step_of_op.size();
    // With everything gone there is nothing to judge behind the crash.
    const Judgement first = judge(before, parts_.properties);
    const Judgement whole = lost_ ? first : judge(ran.history, parts_.properties);
    std::optional<std::string> loss = lost_;
    for (const auto& [id, tally] : whole.tallies) {
      const Tally earlier = first.tallies.of(id);
      std::optional<std::string> story;
      if (tally.convicted > earlier.convicted) story = story_of(ran.history, whole, id);
      if (story && !loss) loss = fmt::format("{}: {}", id, *story);
      note(id, tally.triggered - earlier.triggered, story);
    }
    const auto gone = lost_ ? lost_ : loss ? accepted.missing_in(ran.history, crash) : std::nullopt;
    if (!accepted.jobs.empty()) note("DUR-1", accepted.jobs.size(), gone);
    if (accepted.changes > 0) note("DUR-6", accepted.changes, loss);
    if (hit_) note("DUR-4", 1, loss);
  }

  AuditedStore& store_;
  const AuditOptions& options_;
  const Parts& parts_;
  std::uint64_t number_;
  AuditCell& cell_;
  std::uint64_t seed_ = 0;
  CrashPlan made_;
  bool in_flight_ = false;
  bool hit_ = false;  // a call was under way
  bool recovered_ = false;
  std::future<Status> crashing_;
  std::vector<std::unique_ptr<Driver>> drivers_;
  std::optional<std::string> lost_;  // all of it: how that shows
  std::optional<Error> ours_;
};

}  // namespace

Status contract_cases(AuditedStore& store, const AuditOptions& options, const Parts& parts,
                      AuditCell& cell) {
  auto driver = store.driver(options.seed, false);
  if (!driver) return driver.error();
  std::vector<Plan> plans;
  for (const Scenario& scenario : parts.scenarios)
    if (meets(options.profile, scenario.needs)) plans.push_back(scenario.plan(options.profile));
  for (std::uint64_t i = 0; i < options.cases; ++i)
    plans.push_back(
        generate(options.profile, Random(options.seed).fork(fmt::format("audited/{}", i)).next()));
  for (const Plan& plan : plans) {
    const RunResult ran = assay::run(plan, **driver, options.driver);
    if (ran.trouble) return *ran.trouble;
    const Judgement judgement = judge(ran.history, parts.properties);
    cell.operations += ran.step_of_op.size();
    for (const auto& [id, tally] : judgement.tallies) {
      AuditRule& entry = cell.rules[std::string(id)];
      entry.triggered += tally.triggered;
      if (tally.convicted > 0 && entry.convicted == 0)
        entry.story = story_of(ran.history, judgement, id);
      entry.convicted += tally.convicted;
    }
  }
  return Done{};
}

Status crash_case(AuditedStore& store, const AuditOptions& options, const Parts& parts,
                  std::uint64_t number, AuditCell& cell) {
  return CrashCase(store, options, parts, number, cell).run();
}

}  // namespace assay::detail
