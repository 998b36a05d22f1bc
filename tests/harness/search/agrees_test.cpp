// The search against brute force, on random tiny histories. In the test run there are 3,000 for
// each model; ASSAY_SEARCH_HISTORIES=100000 search_test --gtest_filter='*BruteForce*' runs more.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/search/detail/pass.h"
#include "tests/harness/search/brute_force.h"

namespace assay::search::testing {
namespace {

std::size_t histories() {
  const char* wanted = std::getenv("ASSAY_SEARCH_HISTORIES");
  return wanted == nullptr ? 3'000 : std::strtoul(wanted, nullptr, 10);
}

template <class M>
Finding walked(const M& model, const History<M>& history, detail::Walk walk) {
  StepsOf<M, Timed<typename M::Operation>> steps(model, history);
  const auto intervals =
      detail::intervals_of(std::span<const Timed<typename M::Operation>>(history));
  const detail::Timeline line(steps, intervals);
  const std::function<bool()> stop;
  std::uint64_t left = 1'000'000;
  return detail::Pass(steps, line, walk, stop, left).run();
}

template <class M>
void expect(bool explained, const M& model, const History<M>& history, const Finding& finding,
            const std::string& how) {
  ASSERT_EQ(finding.answer, explained ? Answer::explained : Answer::impossible) << how;
  EXPECT_TRUE(is_allowed(model, history, finding.order)) << how;
  const auto took_effect = [&](OpIndex op) { return std::ranges::count(finding.order, op) == 1; };
  if (explained) {
    EXPECT_FALSE(finding.stuck) << how;
    for (OpIndex op = 0; op < history.size(); ++op) {
      EXPECT_TRUE(history[op].unknown || took_effect(op)) << how;
    }
  } else {
    ASSERT_TRUE(finding.stuck) << how;
    EXPECT_FALSE(history[*finding.stuck].unknown || took_effect(*finding.stuck)) << how;
    EXPECT_EQ(std::ranges::count(finding.tried, *finding.stuck), 1) << how;
  }
}

// What a minimal set claims: the others may have happened or not, and still there is no
// explanation. There is one if any one of the set may not have happened either, and if they need
// not keep to their ends: the search lets some of them take effect late, in favour of reads.
template <class M>
void expect_core(const M& model, const History<M>& history, const std::string& how) {
  const Core found = core(model, history);
  ASSERT_FALSE(found.operations.empty()) << how;
  EXPECT_TRUE(found.minimal) << how;
  std::vector<bool> may_skip(history.size(), true);
  for (const OpIndex op : found.operations) may_skip[op] = false;
  EXPECT_FALSE(has_explanation(model, history, may_skip)) << how;
  EXPECT_TRUE(found.finding.stuck) << how;
  History<M> loose = history;
  for (OpIndex op = 0; op < loose.size(); ++op)
    loose[op].unknown = loose[op].unknown || may_skip[op];
  for (const OpIndex op : found.operations) {
    loose[op].unknown = true;
    EXPECT_TRUE(has_explanation(model, loose)) << how << ", without " << op;
    loose[op].unknown = false;
  }
}

template <class M>
class BruteForce : public ::testing::Test {};
using Models = ::testing::Types<Register, Lock, Set>;
TYPED_TEST_SUITE(BruteForce, Models);

TYPED_TEST(BruteForce, AgreesWithTheSearch) {
  const TypeParam model;
  const Bare<TypeParam> bare;
  std::size_t explained = 0;
  const std::size_t count = histories();
  for (std::size_t i = 0; i < count; ++i) {
    const auto how = "history " + std::to_string(i);
    Random random = Random(42).fork(how);
    const auto history = draw_history<TypeParam>(random, 7, 4 + random.below(12));
    const bool truth = has_explanation(model, history);
    explained += truth ? 1 : 0;
    expect(truth, model, history, explain(model, history), how);
    expect(truth, bare, history, explain(bare, history), how + ", bare");
    expect(truth, model, history, walked(model, history, detail::Walk::level), how + ", level");
    expect(truth, bare, history, walked(bare, history, detail::Walk::level), how + ", both");
    if (!truth) expect_core(model, history, how);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(explained, count / 10);
  EXPECT_GT(count - explained, count / 10);
}

}  // namespace
}  // namespace assay::search::testing
