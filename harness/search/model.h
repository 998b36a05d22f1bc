// Model: what a thing does when one client uses it at a time, as a struct of pure functions.
//
// A model has the types State (copyable, comparable with ==) and Operation (what was asked and what
// was answered), and
//
//   State initial() const;
//   std::optional<State> step(const State&, const Operation&) const;   nothing: not possible there
//   std::size_t hash(const State&) const;
//
// `step` may return a range of states instead, where one operation can end in several ways. For an
// operation of unknown outcome it says what becomes of the state if the operation takes effect.
//
// Optional promises, each only there to make the search faster; a false one makes it wrong:
//
//   bool only_reads(const Operation&) const;
//       In no state does it change anything.
//   bool alike(const Operation&, const Operation&) const;
//       In every state both do the same: asked of operations of unknown outcome.
//   bool twins(const Operation&, const Operation&) const;
//       In every state both are possible or neither is, and do the same: asked of operations whose
//       answers are known.
//   bool matters(const State&, const Operation& one, const Operation& next) const;
//       False: if `one` takes effect in this state and `next` follows, with or without others like
//       `one` between them, then `one` might as well take effect after `next` or not at all. Asked
//       of operations of unknown outcome, and by `core` of any that need not have taken effect.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>

namespace assay::search {

template <class States, class State>
concept Successors = std::same_as<States, std::optional<State>> || requires(const States& states) {
  { *std::begin(states) } -> std::convertible_to<const State&>;
  std::end(states);
};

template <class M>
concept Model = std::equality_comparable<typename M::State> &&
    requires(const M& model, const typename M::State& state,
             const typename M::Operation& operation) {
  { model.initial() } -> std::convertible_to<typename M::State>;
  { model.step(state, operation) } -> Successors<typename M::State>;
  { model.hash(state) } -> std::convertible_to<std::size_t>;
};

}  // namespace assay::search
