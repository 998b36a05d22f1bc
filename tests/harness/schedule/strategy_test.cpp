#include "harness/schedule/strategy.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace assay {
namespace {

// What a strategy makes of clients that each have so many moves to make.
std::vector<int> walked(Strategy& strategy, std::vector<int> left) {
  std::vector<int> moves;
  for (;;) {
    std::vector<int> candidates;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (left[i] > 0) candidates.push_back(static_cast<int>(i));
    if (candidates.empty()) return moves;
    moves.push_back(strategy.choose(candidates, moves.empty() ? -1 : moves.back()));
    --left[static_cast<std::size_t>(moves.back())];
  }
}

std::vector<int> walked_by(const Schedule& schedule, const std::vector<int>& left) {
  return walked(*strategy_for(schedule), left);
}

TEST(ScheduleText, IsReadBackAsItWasWritten) {
  for (const std::vector<int>& choices :
       {std::vector<int>{}, {0}, {0, 0, 0, 1, 0}, {2, 2, -1, 0, 1, 1}, {-1, -1, 3}}) {
    const auto back = choices_from(text_of(choices));
    ASSERT_TRUE(back.ok()) << text_of(choices);
    EXPECT_EQ(*back, choices);
  }
  EXPECT_EQ(text_of({0, 0, 0, 1, -1, 2, 2}), "0*3 1 | 2*2");
}

TEST(ScheduleText, RefusesWhatIsNone) {
  for (const char* text : {"x", "0*", "0*0", "-1", "0  1", "0*99999999999", "1*2*3", "0,1", "| |x"})
    EXPECT_FALSE(choices_from(text).ok()) << text;
}

TEST(ScheduleText, CountsWhereAnotherGoesOn) {
  EXPECT_EQ(switches({0, 0, 1, 1, 0}), 2U);
  EXPECT_EQ(switches({0, -1, 1}), 0U);
}

TEST(RandomWalk, ComesToEveryOrderOfFewMoves) {
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    seen.insert(walked_by({.kind = Schedule::Kind::random_walk, .seed = seed}, {2, 2}));
  EXPECT_EQ(seen.size(), 6U);
}

TEST(RandomWalk, RepeatsWithItsSeed) {
  const Schedule schedule{.kind = Schedule::Kind::random_walk, .seed = 7};
  EXPECT_EQ(walked_by(schedule, {9, 9, 9}), walked_by(schedule, {9, 9, 9}));
}

TEST(Pct, SwitchesNoMoreOftenThanItsDepthAllows) {
  // Each change of priorities makes one switch at most, and each end of a client one more.
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (int depth = 1; depth <= 4; ++depth) {
      const auto moves = walked_by(
          {.kind = Schedule::Kind::pct, .seed = seed, .depth = depth, .moves = 30}, {10, 10, 10});
      EXPECT_LE(switches(moves), static_cast<std::size_t>(2 + 2 * (depth - 1)));
    }
}

TEST(Pct, OfDepthOneRunsOneClientAfterTheOtherInEveryOrder) {
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    seen.insert(
        walked_by({.kind = Schedule::Kind::pct, .seed = seed, .depth = 1, .moves = 6}, {2, 2, 2}));
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& moves : seen) EXPECT_EQ(switches(moves), 2U);
}

TEST(Pct, MeetsItsBound) {
  // One order of two constraints: client 1 moves between the 3rd and the 4th move of client 0.
  int found = 0;
  constexpr int runs = 2000;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto moves =
        walked_by({.kind = Schedule::Kind::pct, .seed = seed, .depth = 2, .moves = 10}, {5, 5});
    if (moves[2] == 0 && moves[0] == 0 && moves[1] == 0 && moves[3] == 1) ++found;
  }
  EXPECT_GE(found, runs / (2 * 10));
}

TEST(ReplayedChoices, AreFollowed) {
  const std::vector<int> choices{1, 0, 1, 1, 0, 0};
  EXPECT_EQ(walked_by({.kind = Schedule::Kind::choices, .choices = choices}, {3, 3}), choices);
}

TEST(ReplayedChoices, ArePassedOverWhereTheyCannotBeFollowed) {
  EXPECT_EQ(walked_by({.kind = Schedule::Kind::choices, .choices = {1, 1, 1, 0}}, {3, 1}),
            (std::vector<int>{1, 0, 0, 0}));
}

TEST(ReplayedChoices, LetEachGoOnBehindTheLast) {
  EXPECT_EQ(walked_by({.kind = Schedule::Kind::choices, .choices = {1}}, {2, 2}),
            (std::vector<int>{1, 1, 0, 0}));
}

TEST(ReplayedChoices, BelongToTheirRound) {
  Replayed replayed({1, 1, 1, Schedule::next_round, 1, 0});
  EXPECT_EQ(walked(replayed, {1, 1}), (std::vector<int>{1, 0}));
  replayed.next_round();
  EXPECT_EQ(walked(replayed, {1, 1}), (std::vector<int>{1, 0}));
}

TEST(ReplayedChoices, AreGoneOnWithAtRandomWhereThatIsWanted) {
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Replayed replayed({0, 1}, std::make_unique<RandomWalk>(seed));
    const auto moves = walked(replayed, {3, 3});
    EXPECT_EQ(moves[0], 0);
    EXPECT_EQ(moves[1], 1);
    seen.insert(moves);
  }
  EXPECT_EQ(seen.size(), 6U);
}

TEST(ExhaustiveSearch, ComesToEveryOrderOnce) {
  Exhaustive exhaustive;
  std::map<std::vector<int>, int> seen;
  double before = -1;
  do {
    exhaustive.begin();
    EXPECT_GE(exhaustive.progress(), before);
    before = exhaustive.progress();
    ++seen[walked(exhaustive, {2, 2, 2})];
  } while (exhaustive.next());
  EXPECT_EQ(seen.size(), 90U);
  for (const auto& [moves, times] : seen) EXPECT_EQ(times, 1);
}

TEST(ExhaustiveSearch, BeginsWithTheFewestSwitches) {
  Exhaustive exhaustive;
  exhaustive.begin();
  EXPECT_EQ(walked(exhaustive, {3, 3}), (std::vector<int>{0, 0, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace assay
