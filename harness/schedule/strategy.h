// Strategy: who moves next, where several clients could.
//
// Each is a pure function of how it was made and of what it was asked before. Not thread-safe: one
// a run, but for Exhaustive, which goes from one run to the next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/contract/random.h"
#include "harness/plan/schedule.h"

namespace assay {

class Strategy {
 public:
  virtual ~Strategy() = default;

  // One of the candidates: clients, in their order, never none. `last` moved before; -1: nobody.
  virtual int choose(std::span<const int> candidates, int last) = 0;

  // Another round of free steps begins, with other candidates. Not called before the first.
  virtual void next_round() {}
};

// Any of them, each as likely as the others.
class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed) : random_(seed) {}
  int choose(std::span<const int> candidates, int last) override;

 private:
  Random random_;
};

// Probabilistic concurrency testing: clients have priorities, the first that can move does, and at
// depth - 1 moves drawn beforehand the one that has just moved becomes the last of all. Finds a bug
// of that depth with a probability of at least 1 / (clients * moves^(depth - 1)) a run.
class Pct final : public Strategy {
 public:
  Pct(std::uint64_t seed, int depth, std::uint64_t moves);
  int choose(std::span<const int> candidates, int last) override;

 private:
  std::int64_t& priority_of(int client);

  Random random_;
  std::vector<std::uint64_t> changes_;    // at these moves
  std::vector<std::int64_t> priorities_;  // by client; higher goes first
  std::int64_t lowest_ = 0;
  std::uint64_t move_ = 0;
};

// These choices, as far as they can be followed; then each client for as long as it can.
class Replayed final : public Strategy {
 public:
  // `then` decides behind the last choice; null: who moved goes on.
  explicit Replayed(std::vector<int> choices, std::unique_ptr<Strategy> then = nullptr)
      : choices_(std::move(choices)), then_(std::move(then)) {}
  int choose(std::span<const int> candidates, int last) override;
  void next_round() override;

 private:
  std::vector<int> choices_;
  std::unique_ptr<Strategy> then_;
  std::size_t next_ = 0;
};

// Every schedule, one a run: begin(), a run, and again while next() says so.
class Exhaustive final : public Strategy {
 public:
  void begin() { depth_ = 0; }
  int choose(std::span<const int> candidates, int last) override;
  // False: there is no other.
  bool next();

  // How much of the whole has been seen, between 0 and 1; an estimate.
  double progress() const;

 private:
  struct Fork {
    std::vector<int> candidates;
    std::size_t taken = 0;
  };
  std::vector<Fork> path_;
  std::size_t depth_ = 0;
};

std::unique_ptr<Strategy> strategy_for(const Schedule& schedule);

}  // namespace assay
