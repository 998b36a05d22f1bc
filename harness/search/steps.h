// Steps: a model and a history's operations as the search sees them, by number. States are kept
// once each, so that the search compares numbers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "harness/search/model.h"

namespace assay::search {

using OpIndex = std::uint32_t;
using StateId = std::uint32_t;

class Steps {
 public:
  virtual ~Steps() = default;

  virtual StateId initial() = 0;

  // The states that the operation may lead to are appended to `out`.
  virtual void after(StateId state, OpIndex op, std::vector<StateId>& out) = 0;

  virtual bool only_reads(OpIndex) const { return false; }
  virtual bool alike(OpIndex, OpIndex) const { return false; }
  virtual bool knows_twins() const { return false; }
  virtual bool twins(OpIndex, OpIndex) const { return false; }
  virtual bool knows_what_matters() const { return false; }
  virtual bool matters(StateId, OpIndex, OpIndex) const { return true; }
};

// Spreads a hash that may be as poor as the number itself.
inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

// Borrows the model and the operations. `Item` has a member `what`, a Model's Operation.
template <Model M, class Item>
class StepsOf final : public Steps {
 public:
  StepsOf(const M& model, std::span<const Item> items) : model_(model), items_(items) {
    slots_.resize(64, empty);
  }

  StateId initial() override { return id_of(model_.initial()); }

  void after(StateId state, OpIndex op, std::vector<StateId>& out) override {
    auto next = model_.step(states_[state], items_[op].what);
    if constexpr (requires { next.has_value(); }) {
      if (next.has_value()) out.push_back(id_of(std::move(*next)));
    } else {
      for (const auto& one : next) out.push_back(id_of(one));
    }
  }

  bool only_reads(OpIndex op) const override {
    if constexpr (requires { model_.only_reads(items_[op].what); }) {
      return model_.only_reads(items_[op].what);
    }
    return false;
  }

  bool alike(OpIndex a, OpIndex b) const override {
    if constexpr (requires { model_.alike(items_[a].what, items_[b].what); }) {
      return model_.alike(items_[a].what, items_[b].what);
    }
    return false;
  }

  bool knows_twins() const override {
    return requires(const M& model, const typename M::Operation& op) { model.twins(op, op); };
  }
  bool twins(OpIndex a, OpIndex b) const override {
    if constexpr (requires { model_.twins(items_[a].what, items_[b].what); }) {
      return model_.twins(items_[a].what, items_[b].what);
    }
    return false;
  }

  bool knows_what_matters() const override {
    return requires { model_.matters(states_[0], items_[0].what, items_[0].what); };
  }

  bool matters(StateId state, OpIndex unknown, OpIndex next) const override {
    if constexpr (requires { model_.matters(states_[0], items_[0].what, items_[0].what); }) {
      return model_.matters(states_[state], items_[unknown].what, items_[next].what);
    }
    return true;
  }

 private:
  using State = typename M::State;
  static constexpr StateId empty = ~StateId{0};

  StateId id_of(State state) {
    const std::uint64_t hash = mixed(model_.hash(state));
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] != empty; at = (at + 1) & (slots_.size() - 1)) {
      if (hashes_[slots_[at]] == hash && states_[slots_[at]] == state) return slots_[at];
    }
    const auto id = static_cast<StateId>(states_.size());
    slots_[at] = id;
    states_.push_back(std::move(state));
    hashes_.push_back(hash);
    if (states_.size() * 2 > slots_.size()) grow();
    return id;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, empty);
    for (StateId id = 0; id < states_.size(); ++id) {
      std::size_t at = hashes_[id] & (slots_.size() - 1);
      while (slots_[at] != empty) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id;
    }
  }

  const M& model_;
  std::span<const Item> items_;
  std::vector<State> states_;
  std::vector<std::uint64_t> hashes_;
  std::vector<StateId> slots_;  // open addressing, a power of two
};

}  // namespace assay::search
