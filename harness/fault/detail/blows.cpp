#include "harness/fault/detail/blows.h"

#include <algorithm>
#include <map>
#include <ranges>

namespace assay::detail {

bool Blow::meets(const Blow& other) const {
  const bool same = client < 0 || other.client < 0 || client == other.client;
  return same && between_rounds == other.between_rounds && from <= other.to && other.from <= to;
}

namespace {

Step end_of(const Blow&, int slot) {
  Step end;
  end.kind = StepKind::end_fault;
  end.slot = slot;
  return end;
}

Step begin_of(const Blow& blow, int slot) {
  Step begin;
  begin.kind = StepKind::begin_fault;
  begin.slot = slot;
  begin.fault = blow.fault;
  begin.client = std::max(0, blow.client);
  return begin;
}

}  // namespace

Plan with_blows(Plan plan, std::vector<Blow> blows) {
  int slot = 0;
  for (const Step& step : plan.steps) slot = std::max(slot, step.slot + 1);
  // Those between rounds end after all that ends in a round, and begin before what begins in one.
  std::ranges::stable_partition(blows, [](const Blow& blow) { return !blow.between_rounds; });
  std::vector<Step> steps;
  for (std::size_t i = 0; i <= plan.steps.size(); ++i) {
    const bool follows_free = i > 0 && steps.back().free;
    for (std::size_t b = 0; b < blows.size(); ++b)
      if (blows[b].to == i) {
        steps.push_back(end_of(blows[b], slot + static_cast<int>(b)));
        steps.back().free = follows_free && !blows[b].between_rounds;
      }
    for (std::size_t b = blows.size(); b-- > 0;)
      if (blows[b].from == i) {
        steps.push_back(begin_of(blows[b], slot + static_cast<int>(b)));
        steps.back().free = plan.steps[i].free && !blows[b].between_rounds;
      }
    if (i < plan.steps.size()) steps.push_back(std::move(plan.steps[i]));
  }
  plan.steps = std::move(steps);
  return plan;
}

Plan in_turns(Plan plan) {
  std::vector<Step> steps;
  for (std::size_t from = 0; from < plan.steps.size();) {
    const std::size_t to = std::max(free_until(plan, from), from + 1);
    std::map<int, std::vector<std::size_t>> by_client;
    for (std::size_t i = from; i < to; ++i) by_client[plan.steps[i].client].push_back(i);
    for (std::size_t turn = 0; steps.size() < to; ++turn)
      for (const auto& mine : by_client | std::views::values)
        if (turn < mine.size()) steps.push_back(std::move(plan.steps[mine[turn]]));
    from = to;
  }
  plan.steps = std::move(steps);
  return plan;
}

}  // namespace assay::detail
