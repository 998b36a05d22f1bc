// What the search is held against: all orders, one after the other, with nothing left out. And
// random histories, small enough for that.
#pragma once

#include <algorithm>
#include <vector>

#include "harness/search/search.h"
#include "tests/harness/search/models.h"

namespace assay::search::testing {

template <class M>
using History = std::vector<Timed<typename M::Operation>>;

template <class M>
std::vector<typename M::State> states_after(const M& model, const typename M::State& state,
                                            const typename M::Operation& op) {
  const auto next = model.step(state, op);
  if constexpr (requires { next.has_value(); }) {
    return next ? std::vector<typename M::State>{*next} : std::vector<typename M::State>{};
  } else {
    return {next.begin(), next.end()};
  }
}

// `may_skip`: operations of known outcome that are allowed not to have taken effect. They keep
// their interval.
template <class M>
bool has_explanation(const M& model, const History<M>& history, const std::vector<bool>& may_skip,
                     std::vector<bool> placed, const typename M::State& state) {
  bool complete = true;
  for (std::size_t i = 0; i < history.size(); ++i) {
    complete = complete && (placed[i] || history[i].unknown || may_skip[i]);
  }
  if (complete) return true;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (placed[i]) continue;
    bool too_early = false;  // another that must take effect ended before this was called
    bool too_late = false;
    for (std::size_t j = 0; j < history.size(); ++j) {
      const bool must = !history[j].unknown && !may_skip[j];
      too_early = too_early || (!placed[j] && must && history[j].end < history[i].call);
      too_late = too_late || (placed[j] && !history[i].unknown && history[i].end < history[j].call);
    }
    if (too_early || too_late) continue;
    placed[i] = true;
    for (const auto& next : states_after(model, state, history[i].what)) {
      if (has_explanation(model, history, may_skip, placed, next)) return true;
    }
    placed[i] = false;
  }
  return false;
}

template <class M>
bool has_explanation(const M& model, const History<M>& history, std::vector<bool> may_skip = {}) {
  may_skip.resize(history.size());
  return has_explanation(model, history, may_skip, std::vector<bool>(history.size()),
                         model.initial());
}

// Whether the order respects real time, begins nowhere but at the beginning, and is allowed.
template <class M>
bool is_allowed(const M& model, const History<M>& history, const std::vector<OpIndex>& order) {
  std::vector<typename M::State> states = {model.initial()};
  for (std::size_t at = 0; at < order.size(); ++at) {
    const auto& op = history[order[at]];
    if (std::count(order.begin(), order.end(), order[at]) != 1) return false;
    for (OpIndex j = 0; j < history.size(); ++j) {
      const bool before = std::find(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at),
                                    j) != order.begin() + static_cast<std::ptrdiff_t>(at);
      if (j != order[at] && !before && !history[j].unknown && history[j].end < op.call) {
        return false;
      }
    }
    std::vector<typename M::State> next;
    for (const auto& state : states) {
      for (const auto& one : states_after(model, state, op.what)) next.push_back(one);
    }
    states = next;
  }
  return !states.empty();
}

// Operations that took effect within their intervals, or whenever, or never; then, in every other
// history, answers that were altered.
template <class M>
History<M> draw_history(Random& random, std::size_t most, std::uint64_t span) {
  History<M> history(1 + random.below(most));
  std::vector<std::pair<std::uint64_t, std::size_t>> effects;
  for (std::size_t i = 0; i < history.size(); ++i) {
    auto& op = history[i];
    op.what = M::draw(random);
    op.call = static_cast<std::int64_t>(random.below(span));
    const std::uint64_t length = random.below(5);
    op.end = op.call + static_cast<std::int64_t>(length);
    op.unknown = op.what.unknown = random.below(3) == 0;
    const std::uint64_t moment = random.below(op.unknown ? 2 * span : length + 1);
    effects.push_back({static_cast<std::uint64_t>(op.call) + moment, i});
  }
  std::sort(effects.begin(), effects.end());
  auto state = M{}.initial();
  for (const auto& [moment, i] : effects) {
    if (moment < 2 * span) M::perform(state, history[i].what);
  }
  if (random.below(2) == 0) return history;
  for (auto& op : history) {
    if (!op.unknown && random.below(history.size()) == 0) M::alter(op.what, random);
  }
  return history;
}

}  // namespace assay::search::testing
