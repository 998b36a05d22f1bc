#include "harness/plan/shrink.h"

#include <algorithm>

#include "harness/plan/detail/simplify.h"
#include "harness/plan/flow_text.h"

namespace assay {
namespace {

// Asks within the budget; once that is used up nothing is accepted any more.
class Shrinker {
 public:
  Shrinker(Plan plan, const Fails& fails, int max_runs)
      : best_(std::move(plan)), fails_(fails), left_(max_runs) {}

  // Takes the candidate over if it is another plan and fails still.
  bool accept(Plan candidate) {
    if (left_ <= 0 || candidate == best_ || !validate(candidate).ok()) return false;
    --left_;
    ++runs_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Leaves chunks of steps out, halving them; at single steps, again until none can go.
  void remove_steps() {
    for (std::size_t chunk = std::max<std::size_t>(best_.steps.size() / 2, 1);; chunk /= 2) {
      while (remove_chunks(chunk) && chunk == 1) {
      }
      if (chunk <= 1) break;
    }
  }

  // A job and the claim that takes it out of the way can only go together.
  void remove_pairs() {
    constexpr std::size_t steps_max = 16;
    for (std::size_t second = best_.steps.size(); second-- > 1;)
      for (std::size_t first = second; first-- > 0 && best_.steps.size() <= steps_max;) {
        Plan candidate = best_;
        candidate.steps.erase(candidate.steps.begin() + static_cast<std::ptrdiff_t>(second));
        candidate.steps.erase(candidate.steps.begin() + static_cast<std::ptrdiff_t>(first));
        if (accept(std::move(candidate))) return;
      }
  }

  void simplify() {
    for (const auto& change : detail::plan_changes) accept(change(best_));
    for (std::size_t i = 0; i < best_.steps.size() && !exhausted(); ++i)
      for (const auto& change : detail::step_changes) simplify_step(i, change);
    for (std::size_t i = 0; i < best_.steps.size() && !exhausted(); ++i) shrink_flow(i);
  }

  void shed_clients() {
    accept(detail::without_unused_clients(best_));
    for (std::size_t gone = best_.workers.size(); gone-- > 0 && best_.workers.size() > 1;)
      accept(detail::without_worker(best_, gone));
    for (std::size_t gone = best_.clients.size(); gone-- > 1;)
      for (std::size_t heir = 0; heir < gone; ++heir)
        if (detail::may_be_one(best_, gone, heir) &&
            accept(detail::with_clients_merged(best_, gone, heir)))
          break;
  }

  bool exhausted() const { return left_ <= 0; }
  int runs() const { return runs_; }
  const Plan& best() const { return best_; }

 private:
  // From the end: the last steps depend on the others, not the other way round.
  bool remove_chunks(std::size_t chunk) {
    bool removed = false;
    for (std::size_t end = best_.steps.size(); end > 0 && !exhausted();) {
      const std::size_t begin = end > chunk ? end - chunk : 0;
      Plan candidate = best_;
      candidate.steps.erase(candidate.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                            candidate.steps.begin() + static_cast<std::ptrdiff_t>(end));
      removed = accept(std::move(candidate)) || removed;
      end = begin;
    }
    return removed;
  }

  void simplify_step(std::size_t index, detail::StepChange change) {
    Step simpler = best_.steps[index];
    change(simpler);
    if (simpler == best_.steps[index]) return;
    Plan candidate = best_;
    candidate.steps[index] = std::move(simpler);
    accept(std::move(candidate));
  }

  // The same flow may be handed in by several steps: it becomes smaller in all of them.
  void shrink_flow(std::size_t index) {
    if (best_.steps[index].kind != StepKind::submit_flow) return;
    for (bool is_smaller = true; is_smaller && !exhausted();) {
      is_smaller = false;
      const std::string text = best_.steps[index].what;
      for (const std::string& smaller : smaller_flows(text)) {
        Plan candidate = best_;
        for (Step& step : candidate.steps)
          if (step.what == text) step.what = smaller;
        is_smaller = accept(std::move(candidate));
        if (is_smaller || exhausted()) break;
      }
    }
  }

  Plan best_;
  const Fails& fails_;
  int left_;
  int runs_ = 0;
};

}  // namespace

// A simpler step may make another one needless, so both are repeated until nothing changes.
ShrinkResult shrink(const Plan& plan, const Fails& fails, int max_runs) {
  Shrinker shrinker(plan, fails, max_runs);
  Plan before;
  do {
    before = shrinker.best();
    shrinker.remove_steps();
    shrinker.shed_clients();
    shrinker.simplify();
    if (shrinker.best() == before) shrinker.remove_pairs();
  } while (!shrinker.exhausted() && shrinker.best() != before);
  const bool minimal = !shrinker.exhausted();
  shrinker.accept(detail::with_dense_slots(shrinker.best()));
  return {shrinker.best(), shrinker.runs(), minimal};
}

}  // namespace assay
