#include <algorithm>

#include "harness/contract/check.h"
#include "harness/plan/shrink.h"

namespace assay {
namespace {

// So many moves of one client in a row; or the beginning of another round.
struct Block {
  int client = 0;
  std::size_t moves = 0;
};

std::vector<Block> blocks_of(const std::vector<int>& choices) {
  std::vector<Block> blocks;
  for (const int client : choices) {
    if (blocks.empty() || blocks.back().client != client || client == Schedule::next_round)
      blocks.push_back({client, 0});
    ++blocks.back().moves;
  }
  return blocks;
}

std::vector<int> choices_of(const std::vector<Block>& blocks) {
  std::vector<int> choices;
  for (const Block& block : blocks) choices.insert(choices.end(), block.moves, block.client);
  return choices;
}

class Shrinker {
 public:
  Shrinker(Plan plan, const Fails& fails, int max_runs)
      : best_(std::move(plan)), fails_(fails), left_(max_runs) {}

  ShrinkResult run() {
    Plan before;
    do {
      before = best_;
      end_early();
      join_blocks();
    } while (left_ > 0 && best_ != before);
    return {best_, runs_, left_ > 0};
  }

 private:
  std::vector<Block> blocks() const { return blocks_of(best_.schedule->choices); }

  // Taken over only where it is really better: what is left out may come back by itself.
  bool accept(const std::vector<Block>& blocks) {
    if (left_ <= 0) return false;
    Plan candidate = best_;
    candidate.schedule->choices = choices_of(blocks);
    --left_;
    ++runs_;
    if (!fails_(candidate)) return false;
    if (switches(candidate.schedule->choices) >= switches(best_.schedule->choices)) return false;
    best_ = std::move(candidate);
    return true;
  }

  // Behind what matters, one client after the other.
  void end_early() {
    const std::vector<Block> all = blocks();
    for (std::size_t kept = 0; kept < all.size(); ++kept)
      if (accept({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept)})) return;
  }

  // A block goes to the next one of its client, or that one comes to it.
  void join_blocks() {
    for (std::size_t first = 0; first < blocks().size() && left_ > 0;)
      if (!join(first)) ++first;
  }

  bool join(std::size_t first) {
    const std::vector<Block> all = blocks();
    for (std::size_t second = first + 1; second < all.size(); ++second) {
      if (all[second].client == Schedule::next_round) return false;
      if (all[second].client != all[first].client) continue;
      std::vector<Block> later = all, earlier = all;
      later[second].moves += all[first].moves;
      later.erase(later.begin() + static_cast<std::ptrdiff_t>(first));
      earlier[first].moves += all[second].moves;
      earlier.erase(earlier.begin() + static_cast<std::ptrdiff_t>(second));
      return accept(later) || accept(earlier);
    }
    return false;
  }

  Plan best_;
  const Fails& fails_;
  int left_;
  int runs_ = 0;
};

}  // namespace

ShrinkResult shrink_schedule(const Plan& plan, const Fails& fails, int max_runs) {
  CHECK(plan.schedule && plan.schedule->kind == Schedule::Kind::choices);
  return Shrinker(plan, fails, max_runs).run();
}

}  // namespace assay
