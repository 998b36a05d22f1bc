// search: looks for an explanation of what concurrent clients saw: an order of effects that
// respects real time and that a model allows.
//
// Knows nothing of what is modelled, reads no clock, draws nothing: the same input gives the same
// answer. The problem is NP-hard, so there is a third answer, and a bound on the work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/search/steps.h"

namespace assay::search {

// An operation and when it was under way: from `call` to `end`, both included, so that operations
// that share an instant may have taken effect in either order.
//
// Of unknown outcome: takes effect at any moment from its call on, also after its end, or never.
template <class Operation>
struct Timed {
  Operation what;
  std::int64_t call = 0;
  std::int64_t end = 0;  // not read if unknown
  bool unknown = false;
};

struct Limits {
  std::uint64_t max_steps = 10'000'000;  // how often the model may be asked; also bounds memory
  std::function<bool()> stop;            // asked now and then: is the time over?
};

enum class Answer { explained, impossible, undecided };
enum class Bound { none, steps, time };

// "the bound of steps was reached"
std::string_view told(Bound bound);

struct Finding {
  Answer answer = Answer::undecided;
  Bound bound = Bound::none;  // why undecided

  // Effects in their order, operations by index. Explained: all of them that took effect. Else the
  // explanation that got furthest, if any got anywhere.
  std::vector<OpIndex> order;

  // Where `order` is not the whole: `stuck` had to take effect next, before anything that was
  // called after its end. No operation of `tried`, which it is one of, was possible there.
  std::optional<OpIndex> stuck;
  std::vector<OpIndex> tried;

  std::int64_t reached = 0;  // operations called after this instant were never looked at
  std::uint64_t steps = 0;
};

// Operations that cannot be explained together, whether each other operation took effect or not.
struct Core {
  std::vector<OpIndex> operations;  // by call
  bool minimal = false;             // none of them could be counted among the others

  // How far an explanation of them gets: `order` holds others too, those that they stand on.
  Finding finding;
};

namespace detail {

// `optional`: takes effect while it is under way, or never. `left_out`: never was.
enum class Kind : std::uint8_t { definite, unknown, optional, left_out };

struct Interval {
  std::int64_t call = 0;
  std::int64_t end = 0;
  Kind kind = Kind::definite;
};

Finding explain(Steps& steps, std::span<const Interval> intervals, const Limits& limits);
Core core(Steps& steps, std::vector<Interval> intervals, const Limits& limits);

template <class Operation>
std::vector<Interval> intervals_of(std::span<const Timed<Operation>> history) {
  std::vector<Interval> intervals;
  intervals.reserve(history.size());
  for (const auto& op : history) {
    intervals.push_back({op.call, op.end, op.unknown ? Kind::unknown : Kind::definite});
  }
  return intervals;
}

}  // namespace detail

// Requires: call <= end for each operation of known outcome.
template <Model M>
Finding explain(const M& model, std::span<const Timed<typename M::Operation>> history,
                const Limits& limits = {}) {
  StepsOf<M, Timed<typename M::Operation>> steps(model, history);
  return detail::explain(steps, detail::intervals_of(history), limits);
}

// The limits are for all the searches that this takes together. If they are too tight for the first
// of them, or there is an explanation, then `operations` is empty and `finding` says so.
template <Model M>
Core core(const M& model, std::span<const Timed<typename M::Operation>> history,
          const Limits& limits = {}) {
  StepsOf<M, Timed<typename M::Operation>> steps(model, history);
  return detail::core(steps, detail::intervals_of(history), limits);
}

}  // namespace assay::search
