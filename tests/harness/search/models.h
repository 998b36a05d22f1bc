// Small models for tests: a register, a lock that hands out tokens, a set. And Bare, which takes
// all optional promises away from a model.
#pragma once

#include <bit>
#include <optional>
#include <vector>

#include "harness/contract/random.h"

namespace assay::search::testing {

struct Register {
  enum class Call { read, write, swap };
  struct Operation {
    Call call = Call::read;
    int value = 0;  // read, or to be written
    int expected = 0;
    bool ok = true;  // the swap found what it expected
    bool unknown = false;
  };
  using State = int;

  State initial() const { return 0; }
  std::size_t hash(State state) const { return static_cast<std::size_t>(state); }

  std::optional<State> step(State state, const Operation& op) const {
    if (op.call == Call::write) return op.value;
    if (op.call == Call::read) {
      return op.unknown || op.value == state ? std::optional(state) : std::nullopt;
    }
    const bool found = op.expected == state;
    if (!op.unknown && found != op.ok) return std::nullopt;
    return found ? op.value : state;
  }

  bool only_reads(const Operation& op) const {
    return op.call == Call::read || (op.call == Call::swap && !op.ok && !op.unknown);
  }
  bool alike(const Operation& a, const Operation& b) const {
    return a.call == b.call && a.value == b.value && a.expected == b.expected;
  }
  bool twins(const Operation& a, const Operation& b) const { return alike(a, b) && a.ok == b.ok; }

  static Operation draw(Random& random) {
    Operation op{static_cast<Call>(random.below(3))};
    op.value = static_cast<int>(random.below(3));
    op.expected = static_cast<int>(random.below(3));
    return op;
  }
  // What the operation does and answers, alone.
  static void perform(State& state, Operation& op) {
    if (op.call == Call::read) op.value = state;
    if (op.call == Call::swap) op.ok = state == op.expected;
    if (op.call == Call::write || (op.call == Call::swap && op.ok)) state = op.value;
  }
  static void alter(Operation& op, Random& random) {
    if (op.call == Call::swap) op.ok = !op.ok;
    if (op.call == Call::read) op.value = (op.value + 1 + static_cast<int>(random.below(2))) % 3;
  }
};

// Who takes it gets the next token; only the token that holds it can release it.
struct Lock {
  enum class Call { take, release, look };
  struct Operation {
    Call call = Call::take;
    int token = 0;  // given, handed in, or seen; 0: refused, none
    bool ok = true;
    bool unknown = false;
  };
  struct State {
    int holder = 0;
    int last = 0;
    bool operator==(const State&) const = default;
  };

  State initial() const { return {}; }
  std::size_t hash(const State& state) const {
    return static_cast<std::size_t>(state.holder * 100 + state.last);
  }

  std::optional<State> step(const State& state, const Operation& op) const {
    State next = state;
    Operation made = op;
    perform(next, made);
    if (!op.unknown && (made.ok != op.ok || made.token != op.token)) return std::nullopt;
    return next;
  }

  bool only_reads(const Operation& op) const {
    return op.call == Call::look || (!op.ok && !op.unknown);
  }
  bool alike(const Operation& a, const Operation& b) const {
    return a.call == b.call && (a.call == Call::take || a.token == b.token);
  }

  static Operation draw(Random& random) {
    return {static_cast<Call>(random.below(3)), 1 + static_cast<int>(random.below(3))};
  }
  static void perform(State& state, Operation& op) {
    if (op.call == Call::look) {
      op.token = state.holder;
    } else if (op.call == Call::release) {
      op.ok = state.holder == op.token;
      if (op.ok) state.holder = 0;
    } else {
      op.ok = state.holder == 0;
      op.token = op.ok ? ++state.last : 0;
      if (op.ok) state.holder = op.token;
    }
  }
  static void alter(Operation& op, Random& random) {
    if (op.call == Call::release) {
      op.ok = !op.ok;
    } else {
      op.token = static_cast<int>(random.below(4));
      if (op.call == Call::take) op.ok = op.token != 0;
    }
  }
};

// Of small numbers. `pick` takes any member out, so it can end in several ways.
struct Set {
  enum class Call { add, remove, has, pick };
  struct Operation {
    Call call = Call::add;
    int member = 0;   // of `pick`: what it got, or -1
    bool yes = true;  // it was there
    bool unknown = false;
  };
  using State = std::uint64_t;

  State initial() const { return 0; }
  std::size_t hash(State state) const { return state; }

  std::vector<State> step(State state, const Operation& op) const {
    if (op.call == Call::pick && op.unknown) {
      std::vector<State> all;
      for (State left = state; left != 0; left &= left - 1) all.push_back(state & ~(left & -left));
      if (all.empty()) all.push_back(state);
      return all;
    }
    if (op.call == Call::pick && op.member < 0) {
      return state == 0 ? std::vector<State>{state} : std::vector<State>{};
    }
    const State bit = State{1} << op.member;
    const bool found = (state & bit) != 0;
    if (op.call == Call::pick)
      return found ? std::vector<State>{state & ~bit} : std::vector<State>{};
    if (!op.unknown && found != op.yes) return {};
    if (op.call == Call::add) return {state | bit};
    return {op.call == Call::remove ? state & ~bit : state};
  }

  bool only_reads(const Operation& op) const {
    if (op.call == Call::pick) return op.member < 0 && !op.unknown;
    return op.call == Call::has || (!op.unknown && op.yes == (op.call == Call::add));
  }
  bool alike(const Operation& a, const Operation& b) const {
    return a.call == b.call && (a.call == Call::pick || a.member == b.member);
  }
  bool matters(State, const Operation& unknown, const Operation& next) const {
    return unknown.call == Call::pick || next.call == Call::pick || unknown.member == next.member;
  }

  static Operation draw(Random& random) {
    return {static_cast<Call>(random.below(4)), static_cast<int>(random.below(3))};
  }
  static void perform(State& state, Operation& op) {
    if (op.call == Call::pick) {
      op.member = state == 0 ? -1 : std::countr_zero(state);
      state &= state - 1;
      return;
    }
    const State bit = State{1} << op.member;
    op.yes = (state & bit) != 0;
    if (op.call == Call::add) state |= bit;
    if (op.call == Call::remove) state &= ~bit;
  }
  static void alter(Operation& op, Random& random) {
    op.yes = !op.yes;
    if (op.call == Call::pick) op.member = static_cast<int>(random.below(4)) - 1;
  }
};

template <class M>
struct Bare {
  using State = typename M::State;
  using Operation = typename M::Operation;

  State initial() const { return model.initial(); }
  std::size_t hash(const State& state) const { return model.hash(state); }
  auto step(const State& state, const Operation& op) const { return model.step(state, op); }

  M model;
};

}  // namespace assay::search::testing
