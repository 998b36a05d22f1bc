#include "harness/search/search.h"

#include <gtest/gtest.h>

#include "tests/harness/search/brute_force.h"

namespace assay::search::testing {
namespace {

using Call = Register::Call;

Timed<Register::Operation> write(int value, std::int64_t call, std::int64_t end) {
  return {{Call::write, value}, call, end};
}
Timed<Register::Operation> read(int value, std::int64_t call, std::int64_t end) {
  return {{Call::read, value}, call, end};
}
Timed<Register::Operation> lost_write(int value, std::int64_t call) {
  return {{Call::write, value, 0, true, true}, call, call, true};
}
Timed<Register::Operation> lost_swap(int expected, int value, std::int64_t call) {
  return {{Call::swap, value, expected, true, true}, call, call, true};
}

using Registered = History<Register>;

TEST(Search, ExplainsNothingByNothing) {
  const Finding finding = explain(Register{}, Registered{});
  EXPECT_EQ(finding.answer, Answer::explained);
  EXPECT_TRUE(finding.order.empty());
}

TEST(Search, TakesEqualInstantsAsOverlapping) {
  EXPECT_EQ(explain(Register{}, Registered{write(1, 1, 2), read(0, 2, 3)}).answer,
            Answer::explained);
  EXPECT_EQ(explain(Register{}, Registered{write(1, 1, 2), read(0, 3, 4)}).answer,
            Answer::impossible);
}

TEST(Search, TellsTheOrder) {
  const Finding finding =
      explain(Register{}, Registered{write(1, 0, 9), write(2, 0, 9), read(2, 0, 9), read(1, 0, 9)});
  ASSERT_EQ(finding.answer, Answer::explained);
  EXPECT_EQ(finding.order.size(), 4u);
}

TEST(Search, LetsAnUnknownOperationTakeEffectLate) {
  EXPECT_EQ(explain(Register{},
                    Registered{lost_write(2, 0), write(1, 5, 6), read(1, 7, 8), read(2, 9, 10)})
                .answer,
            Answer::explained);
  EXPECT_EQ(explain(Register{}, Registered{read(2, 0, 1), lost_write(2, 2)}).answer,
            Answer::impossible);
}

TEST(Search, TellsHowFarItGotAndWhatWasStuck) {
  const Finding finding =
      explain(Register{}, Registered{write(1, 0, 1), read(1, 2, 3), read(7, 4, 6), read(1, 5, 9)});
  EXPECT_EQ(finding.answer, Answer::impossible);
  EXPECT_EQ(finding.order, (std::vector<OpIndex>{0, 1, 3}));
  EXPECT_EQ(finding.stuck, OpIndex{2});
  EXPECT_EQ(finding.tried, std::vector<OpIndex>{2});
}

// Each can be used once, in the one order in which they lead anywhere.
TEST(Search, FollowsAChainOfThirtyUnknownOperations) {
  Registered history;
  for (int i = 30; i-- > 0;) history.push_back(lost_swap(i, i + 1, 0));
  history.push_back(read(30, 100, 101));
  EXPECT_EQ(explain(Register{}, history).answer, Answer::explained);
  history.push_back(read(29, 102, 103));
  EXPECT_EQ(explain(Register{}, history).answer, Answer::impossible);
}

TEST(Search, DecidesWithThirtyDifferentUnknownWrites) {
  Registered history;
  for (int i = 1; i <= 30; ++i) history.push_back(lost_write(i, 0));
  for (int i = 30; i >= 1; --i) history.push_back(read(i, 100 - i, 101 - i));
  for (int i = 1; i <= 2; ++i) history.push_back(write(100 + i, 50, 200));
  ASSERT_EQ(explain(Register{}, history).answer, Answer::explained);
  history.push_back(read(3, 300, 301));
  ASSERT_EQ(explain(Register{}, history).answer, Answer::impossible);
}

// Which of them took effect is seen all at once, at the end.
TEST(Search, DecidesWithThirtyUnknownReleases) {
  using LockCall = Lock::Call;
  History<Lock> history;
  std::int64_t now = 0;
  for (int token = 1; token <= 30; ++token, now += 10) {
    history.push_back({{LockCall::take, token}, now, now + 1});
    history.push_back({{LockCall::release, token, true, true}, now + 2, now + 2, true});
  }
  ASSERT_EQ(explain(Lock{}, history).answer, Answer::explained);
  history.push_back({{LockCall::release, 30}, now, now + 1});
  ASSERT_EQ(explain(Lock{}, history).answer, Answer::explained);
  history.push_back({{LockCall::release, 29}, now + 2, now + 3});
  ASSERT_EQ(explain(Lock{}, history).answer, Answer::impossible);
}

TEST(Search, DecidesWithThirtyUnknownAdds) {
  using SetCall = Set::Call;
  History<Set> history;
  for (int member = 0; member < 30; ++member) {
    history.push_back({{SetCall::add, member, true, true}, 0, 0, true});
  }
  for (int member = 0; member < 30; ++member) {
    history.push_back({{SetCall::has, member, member % 2 == 0}, 10 + member, 14 + member});
  }
  ASSERT_EQ(explain(Set{}, history).answer, Answer::explained);
  history.push_back({{SetCall::has, 4, false}, 60, 61});
  ASSERT_EQ(explain(Set{}, history).answer, Answer::impossible);
}

// Sums of subsets: nobody decides this fast.
struct Counter {
  struct Operation {
    std::int64_t add = 0;
    std::optional<std::int64_t> seen;
  };
  using State = std::int64_t;
  State initial() const { return 0; }
  std::size_t hash(State state) const { return static_cast<std::size_t>(state); }
  std::optional<State> step(State state, const Operation& op) const {
    if (op.seen && *op.seen != state) return std::nullopt;
    return state + op.add;
  }
};

History<Counter> sums() {
  History<Counter> history;
  for (int i = 0; i < 40; ++i) history.push_back({{std::int64_t{1} << i, {}}, 0, 0, true});
  history.push_back({{0, -1}, 1, 2});
  return history;
}

TEST(Search, SaysWhenTheBoundOfStepsIsReached) {
  const Finding finding = explain(Counter{}, sums(), {.max_steps = 20'000, .stop = {}});
  EXPECT_EQ(finding.answer, Answer::undecided);
  EXPECT_EQ(finding.bound, Bound::steps);
  EXPECT_LE(finding.steps, 20'000u);
  EXPECT_EQ(told(finding.bound), "the bound of steps was reached");
}

TEST(Search, SaysWhenTheTimeIsOver) {
  int asked = 0;
  const Finding finding = explain(Counter{}, sums(), {.stop = [&] { return ++asked == 3; }});
  EXPECT_EQ(finding.answer, Answer::undecided);
  EXPECT_EQ(finding.bound, Bound::time);
  EXPECT_EQ(asked, 3);
}

// A register under ten clients: `unknown` writes among them lost their answers.
Registered drawn(int operations, int unknown) {
  Random random(11);
  Registered history;
  int state = 0;
  for (int i = 0; i < operations; ++i) {
    const std::int64_t now = i * 10;
    const auto before = static_cast<std::int64_t>(random.below(50));
    const auto after = static_cast<std::int64_t>(random.below(50));
    const bool lost = i % std::max(1, operations / std::max(1, unknown)) == 1;
    if (unknown > 0 && lost) {
      history.push_back(lost_write(1000 + i, now - before));
      if (random.below(2) == 0) state = 1000 + i;
    } else if (random.below(2) == 0) {
      state = static_cast<int>(random.below(1000));
      history.push_back(write(state, now - before, now + after));
    } else {
      history.push_back(read(state, now - before, now + after));
    }
  }
  return history;
}

TEST(Search, DecidesALongHistoryInFewSteps) {
  const Finding finding = explain(Register{}, drawn(100'000, 0));
  EXPECT_EQ(finding.answer, Answer::explained);
  EXPECT_LT(finding.steps, 2'000'000u);
}

TEST(Search, DecidesALongHistoryWithoutExplanation) {
  Registered history = drawn(10'000, 0);
  history.push_back(read(-1, 200'000, 200'001));
  const Finding finding = explain(Register{}, history);
  EXPECT_EQ(finding.answer, Answer::impossible);
  EXPECT_EQ(finding.stuck, OpIndex{10'000});
}

TEST(Search, DecidesALongHistoryWithUnknownOperations) {
  EXPECT_EQ(explain(Register{}, drawn(20'000, 30)).answer, Answer::explained);
}

// All others end while it is under way.
TEST(Search, IsNotHeldUpByOneSlowOperation) {
  Registered history = drawn(20'000, 0);
  history.push_back(write(5000, -100, 1'000'000));
  EXPECT_EQ(explain(Register{}, history).answer, Answer::explained);
}

TEST(Search, DecidesWithAHundredOperationsAtOnce) {
  Registered history;
  for (int i = 0; i < 100; ++i) history.push_back(write(i, 0, 1000));
  for (int i = 0; i < 100; ++i) history.push_back(read(i, 10 * i, 10 * i + 1));
  EXPECT_EQ(explain(Register{}, history).answer, Answer::explained);
}

TEST(SearchCore, KeepsWhatContradictsItselfWhateverTheRestDid) {
  Registered history = {write(1, 0, 1), read(1, 2, 3),   write(2, 4, 5), read(2, 6, 7),
                        write(3, 8, 9), read(2, 10, 11), read(3, 12, 13)};
  const Core found = core(Register{}, history);
  EXPECT_EQ(found.operations, (std::vector<OpIndex>{4, 5}));
  EXPECT_TRUE(found.minimal);
  EXPECT_EQ(found.finding.stuck, OpIndex{5});
}

TEST(SearchCore, IsEmptyIfThereIsAnExplanation) {
  const Core found = core(Register{}, Registered{write(1, 0, 1), read(1, 2, 3)});
  EXPECT_TRUE(found.operations.empty());
  EXPECT_EQ(found.finding.answer, Answer::explained);
}

TEST(SearchCore, KeepsToItsBoundAndSaysThatItMayNotBeMinimal) {
  Registered history = drawn(200, 0);
  history.push_back(read(-1, 100'000, 100'001));
  const Finding first = explain(Register{}, history);
  ASSERT_EQ(first.answer, Answer::impossible);
  const Core tight = core(Register{}, history, {.max_steps = first.steps, .stop = {}});
  EXPECT_FALSE(tight.minimal);
  EXPECT_EQ(tight.operations.size(), history.size());
  const Core found = core(Register{}, history);
  EXPECT_TRUE(found.minimal);
  EXPECT_EQ(found.operations, std::vector<OpIndex>{200});
}

}  // namespace
}  // namespace assay::search::testing
