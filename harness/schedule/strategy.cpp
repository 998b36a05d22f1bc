#include "harness/schedule/strategy.h"

#include <algorithm>

#include "harness/contract/check.h"

namespace assay {

static bool is_among(std::span<const int> candidates, int client) {
  return std::ranges::find(candidates, client) != candidates.end();
}

int RandomWalk::choose(std::span<const int> candidates, int) {
  return candidates[random_.below(candidates.size())];
}

Pct::Pct(std::uint64_t seed, int depth, std::uint64_t moves) : random_(seed) {
  for (int i = 1; i < depth; ++i)
    changes_.push_back(random_.below(std::max<std::uint64_t>(moves, 1)));
}

// Drawn when the client is first met, so that how many there are need not be known.
std::int64_t& Pct::priority_of(int client) {
  const auto at = static_cast<std::size_t>(client);
  while (priorities_.size() <= at)
    priorities_.push_back(1 + static_cast<std::int64_t>(random_.below(1ULL << 62)));
  return priorities_[at];
}

int Pct::choose(std::span<const int> candidates, int last) {
  const auto times = std::ranges::count(changes_, move_++);
  if (times > 0 && last >= 0) priority_of(last) = --lowest_;
  // So that a priority depends on the seed alone, not on who was met when.
  priority_of(candidates.back());
  return *std::ranges::max_element(candidates, {}, [&](int client) { return priority_of(client); });
}

int Replayed::choose(std::span<const int> candidates, int last) {
  while (next_ < choices_.size() && choices_[next_] != Schedule::next_round)
    if (const int choice = choices_[next_++]; is_among(candidates, choice)) return choice;
  if (then_) return then_->choose(candidates, last);
  return is_among(candidates, last) ? last : candidates.front();
}

void Replayed::next_round() {
  while (next_ < choices_.size())
    if (choices_[next_++] == Schedule::next_round) return;
}

// Whoever moved goes on first: the schedules with the fewest switches come before the others.
int Exhaustive::choose(std::span<const int> candidates, int last) {
  if (candidates.size() == 1) return candidates.front();
  if (depth_ == path_.size()) {
    path_.push_back({{candidates.begin(), candidates.end()}, 0});
    auto& all = path_.back().candidates;
    const auto at = std::ranges::find(all, last);
    if (at != all.end()) std::rotate(all.begin(), at, at + 1);
  }
  const Fork& fork = path_[depth_++];
  const int choice = fork.candidates[fork.taken];
  // A driver that is not deterministic may offer others than before.
  return is_among(candidates, choice) ? choice : candidates.front();
}

bool Exhaustive::next() {
  path_.resize(std::min(path_.size(), depth_));
  while (!path_.empty() && path_.back().taken + 1 == path_.back().candidates.size())
    path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  return true;
}

double Exhaustive::progress() const {
  double seen = 0, share = 1;
  for (const Fork& fork : path_) {
    share /= static_cast<double>(fork.candidates.size());
    seen += share * static_cast<double>(fork.taken);
  }
  return seen;
}

static std::unique_ptr<Strategy> drawn_by(const Schedule& schedule) {
  switch (schedule.kind) {
    case Schedule::Kind::random_walk:
      return std::make_unique<RandomWalk>(schedule.seed);
    case Schedule::Kind::pct:
      return std::make_unique<Pct>(schedule.seed, schedule.depth, schedule.moves);
    case Schedule::Kind::choices:
      return nullptr;
  }
  CHECK(!"a kind of schedule");
  return nullptr;
}

std::unique_ptr<Strategy> strategy_for(const Schedule& schedule) {
  auto drawn = drawn_by(schedule);
  if (drawn && schedule.choices.empty()) return drawn;
  return std::make_unique<Replayed>(schedule.choices, std::move(drawn));
}

}  // namespace assay
