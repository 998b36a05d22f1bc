#include "harness/run/detail/crew.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace assay::detail {

std::optional<std::string> Crew::run(const SubjectSpec& spec, int jobs) {
  Subject subject(spec);
  return run(subject, jobs);
}

std::optional<std::string> Crew::run(Subject& subject, int jobs) {
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < jobs; ++i)
      others.emplace_back([this, i, spec = subject.spec()]() mutable {
        spec.place += i;
        Subject another(std::move(spec));
        work(another);
      });
    work(subject);
  }
  return trouble_;
}

void Crew::work(Subject& subject) {
  try {
    while (const auto number = take()) {
      Finished finished{orders_.make(*number), {}};
      {
        const std::lock_guard lock(mutex_);
        orders_.begins(finished.one);
      }
      finished.result = run_one(subject, finished.one.plan);
      hand_on(*number, std::move(finished));
    }
  } catch (const std::exception& thrown) {
    give_up(thrown.what());
  } catch (...) {
    give_up("something was thrown that is no exception");
  }
}

// What befalls the store befalls all who use it: such a case is run alone.
CaseResult Crew::run_one(Subject& subject, const Plan& plan) {
  const bool is_alone = std::ranges::any_of(plan.steps, [&](const Step& step) {
    if (!step.fault) return false;
    const auto info = find_fault(subject.spec().faults, *step.fault);
    return info.ok() && (*info)->family == "store";
  });
  if (is_alone) {
    const std::unique_lock alone(store_);
    return subject.run(plan);
  }
  const std::shared_lock with_others(store_);
  return subject.run(plan);
}

void Crew::give_up(std::string why) {
  const std::lock_guard lock(mutex_);
  enough_ = true;
  if (!trouble_) trouble_ = std::move(why);
}

std::optional<std::uint64_t> Crew::take() {
  const std::lock_guard lock(mutex_);
  if (enough_ || !orders_.wanted(next_)) return std::nullopt;
  return next_++;
}

void Crew::hand_on(std::uint64_t number, Finished finished) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(number, std::move(finished));
  for (auto first = waiting_.find(handed_on_); first != waiting_.end() && !enough_;
       first = waiting_.find(handed_on_)) {
    enough_ = !orders_.ends(first->second.one, first->second.result);
    waiting_.erase(first);
    ++handed_on_;
  }
}

}  // namespace assay::detail
