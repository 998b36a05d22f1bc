#include "harness/run/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "harness/contract/random.h"
#include "harness/contract/version.h"
#include "harness/run/detail/cases.h"
#include "harness/run/detail/crew.h"
#include "harness/run/detail/hunt.h"
#include "harness/run/detail/subject.h"

namespace assay {
namespace {

using namespace detail;

constexpr std::array<std::pair<ExploreBy, std::string_view>, 4> names{
    {{ExploreBy::mix, "mix"},
     {ExploreBy::random_walk, "random"},
     {ExploreBy::pct, "pct"},
     {ExploreBy::exhaustive, "exhaustive"}}};

class Exploration {
 public:
  Exploration(const DriverInfo& driver, const ExploreOptions& options, const Parts& parts,
              const ExploreListener& listener, std::stop_token stop)
      : options_(options),
        listener_(listener),
        hunt_(driver, options, parts, std::move(stop)),
        subject_(hunt_.subject()) {}

  ExploreReport run() {
    if (!hunt_.begin(report_)) return report_;
    report_.clients = movers();
    report_.interleaving = subject_.interleaving();
    report_.why_not_closer = subject_.why_not_closer();
    if (options_.by == ExploreBy::exhaustive)
      try_every();
    else
      try_some();
    hunt_.end(report_, listener_.shrinking);
    return std::move(report_);
  }

 private:
  std::size_t movers() const {
    std::set<int> all;
    for (const Step& step : options_.plan.steps)
      if (step.free) all.insert(is_of_the_world(step.kind) ? -1 : step.client);
    return all.size();
  }

  bool goes_on(std::uint64_t number) {
    return hunt_.goes_on(report_) && number < options_.schedules;
  }

  // The first one shows about how many moves there are; the others need to know.
  void try_some() {
    const Plan first = by_schedule(0);
    look_at(first, subject_.run(first));
    moves_ = report_.moves;
    CrewOrders orders;
    orders.wanted = [&](std::uint64_t number) { return goes_on(number + 1); };
    orders.make = [&](std::uint64_t number) { return Case{by_schedule(number + 1)}; };
    orders.begins = [](const Case&) {};
    orders.ends = [&](const Case& one, const CaseResult& result) {
      look_at(one.plan, result);
      return goes_on(report_.schedules);
    };
    if (auto trouble = Crew(std::move(orders)).run(subject_, options_.jobs))
      report_.own_trouble = std::move(trouble);
  }

  // What is given is followed, and gone on with as it is drawn.
  Plan by_schedule(std::uint64_t number) const {
    Plan plan = options_.plan;
    Schedule drawn = schedule_of(number);
    if (plan.schedule) drawn.choices = std::move(plan.schedule->choices);
    plan.schedule = std::move(drawn);
    return plan;
  }

  void try_every() {
    Exhaustive strategy;
    Plan plan = options_.plan;
    plan.schedule = Schedule{.kind = Schedule::Kind::choices};
    do {
      strategy.begin();
      look_at(plan, subject_.run(plan, &strategy));
      report_.every = !strategy.next();
      report_.progress = report_.every ? 1 : strategy.progress();
    } while (!report_.every && goes_on(report_.schedules));
  }

  Schedule schedule_of(std::uint64_t number) const {
    Random random = Random(options_.seed).fork(fmt::format("schedule/{}", number));
    Schedule schedule;
    const bool walks = options_.by == ExploreBy::random_walk ||
                       (options_.by == ExploreBy::mix && random.below(2) == 0);
    schedule.kind = walks ? Schedule::Kind::random_walk : Schedule::Kind::pct;
    schedule.seed = random.next();
    schedule.depth = options_.depth.value_or(2 + static_cast<int>(random.below(3)));
    schedule.moves = std::max<std::uint64_t>(moves_, 8);
    return schedule;
  }

  void look_at(const Plan& plan, const CaseResult& result) {
    ++report_.schedules;
    std::uint64_t hash = 0;
    for (const int client : result.moves)
      hash = (hash ^ static_cast<std::uint64_t>(client + 2)) * 0x100000001b3ULL;
    if (seen_.insert(hash).second) ++report_.distinct;
    report_.moves = std::max(report_.moves, result.moves.size());
    report_.lost_sight += result.lost_sight ? 1 : 0;
    hunt_.add(report_.schedules, plan, result, report_);
    listener_.progress(report_);
  }

  const ExploreOptions& options_;
  const ExploreListener& listener_;
  Hunt hunt_;
  Subject& subject_;
  ExploreReport report_;
  std::size_t moves_ = 0;  // of the first schedule
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

std::string_view name_of(ExploreBy by) {
  return std::ranges::find(names, by, [](const auto& n) { return n.first; })->second;
}

std::optional<ExploreBy> explore_by_from(std::string_view name) {
  const auto found = std::ranges::find(names, name, [](const auto& n) { return n.second; });
  return found == names.end() ? std::nullopt : std::optional(found->first);
}

ExploreReport explore(const DriverInfo& driver, const ExploreOptions& options, const Parts& parts,
                      const ExploreListener& listener, std::stop_token stop) {
  return Exploration(driver, options, parts, listener, std::move(stop)).run();
}

int exit_status_of(const ExploreReport& report) {
  const int status = exit_status_of_hunt(report);
  return status == 0 && report.lost_sight > 0 ? 2 : status;
}

}  // namespace assay
