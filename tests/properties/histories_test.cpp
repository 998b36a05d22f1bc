// Every rule that is judged, on the histories of tests/properties/cases.h.
#include <gtest/gtest.h>

#include <algorithm>

#include "properties/all.h"
#include "tests/harness/judge/overlapping.h"
#include "tests/properties/cases.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

class Histories : public testing::TestWithParam<RuleCases> {
 protected:
  History tell(Story story) const {
    return told::tell(GetParam().profile, GetParam().given, story);
  }
  static Tally tally(const Judgement& judgement) {
    const auto found = judgement.tallies.find(GetParam().rule);
    return found == judgement.tallies.end() ? Tally{} : found->second;
  }
};

TEST_P(Histories, Hold) {
  const auto judgement = judge(tell(GetParam().holds), all_properties());
  EXPECT_GT(tally(judgement).triggered, 0U);
  EXPECT_EQ(findings_of(judgement), "");
}

TEST_P(Histories, Convict) {
  const auto judgement = judge(tell(GetParam().convicts), all_properties());
  EXPECT_GT(tally(judgement).convicted, 0U) << findings_of(judgement);
  EXPECT_LE(tally(judgement).convicted, tally(judgement).triggered);
  const auto witness = std::ranges::find(judgement.findings, GetParam().rule, &Finding::rule);
  ASSERT_NE(witness, judgement.findings.end());
  EXPECT_FALSE(witness->story.empty());
  EXPECT_TRUE(std::ranges::is_sorted(witness->ops));
}

TEST_P(Histories, AreUnknown) {
  const auto judgement = judge(tell(GetParam().unknown), all_properties());
  EXPECT_GT(judgement.unknown_outcomes, 0U);
  EXPECT_EQ(findings_of(judgement), "");
}

// What is known to hold is not convicted for knowing less, wherever an answer got lost.
TEST_P(Histories, HoldWhicheverAnswerIsLost) {
  const auto whole = tell(GetParam().holds);
  for (std::size_t at = 0; at < whole.events.size(); ++at) {
    auto lossy = whole;
    if (!hide(lossy, at)) continue;
    EXPECT_EQ(findings_of(judge(lossy, all_properties())), "") << "event " << at;
  }
}

// The answer that cannot be convicts nobody if it got lost.
TEST_P(Histories, ConvictNobodyForAnAnswerThatIsLost) {
  auto history = tell(GetParam().convicts);
  const auto judgement = judge(history, all_properties());
  ASSERT_FALSE(judgement.findings.empty());
  const OpId guilty = judgement.findings.front().ops.back();
  const auto at = std::ranges::find_if(history.events, [&](const Event& event) {
    const auto* end = std::get_if<ReturnEvent>(&event);
    return end && end->op == guilty;
  });
  ASSERT_NE(at, history.events.end());
  const auto last = static_cast<std::size_t>(at - history.events.begin());
  history.events.resize(last + 1);
  hide(history, last);
  EXPECT_EQ(findings_of(judge(history, all_properties())), "");
}

TEST_P(Histories, AreJudgedAlikeTwice) {
  for (const auto story : {GetParam().holds, GetParam().convicts, GetParam().unknown}) {
    const auto once = judge(tell(story), all_properties());
    const auto twice = judge(tell(story), all_properties());
    EXPECT_EQ(findings_of(once), findings_of(twice));
    EXPECT_EQ(tallies_of(once), tallies_of(twice));
  }
}

// Everybody on his own, so that any two calls may overlap; where a session is closed or a listing
// goes on, who called matters.
History crowded(History history) {
  for (const Event& event : history.events) {
    const auto* call = std::get_if<CallEvent>(&event);
    if (!call) continue;
    const auto* list = std::get_if<List>(&call->request);
    const auto* dead = std::get_if<Dead>(&call->request);
    if (std::holds_alternative<Close>(call->request) || (list && list->cursor) ||
        (dead && dead->cursor))
      return history;
  }
  for (Event& event : history.events)
    if (auto* call = std::get_if<CallEvent>(&event)) call->client = static_cast<int>(call->op);
  return history;
}

void expect_held_where_calls_overlap(const History& history) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    History overlapping = stretched(crowded(history), seed);
    EXPECT_EQ(findings_of(judge(overlapping, all_properties())), "") << "seed " << seed;
    if (overlapping.events.empty() || !hide(overlapping, seed % overlapping.events.size()))
      continue;
    EXPECT_EQ(findings_of(judge(overlapping, all_properties())), "")
        << "seed " << seed << ", with an answer lost";
  }
}

TEST_P(Histories, HoldWhereTheirCallsOverlap) {
  expect_held_where_calls_overlap(tell(GetParam().holds));
}

INSTANTIATE_TEST_SUITE_P(Rules, Histories, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return test_name(info.param.rule); });

class Permitted : public testing::TestWithParam<Permission> {};

TEST_P(Permitted, IsNotConvicted) {
  const auto history = tell(GetParam().profile, nullptr, GetParam().story);
  EXPECT_EQ(findings_of(judge(history, all_properties())), "");
}

TEST_P(Permitted, IsNotConvictedWhicheverAnswerIsLost) {
  const auto whole = tell(GetParam().profile, nullptr, GetParam().story);
  for (std::size_t at = 0; at < whole.events.size(); ++at) {
    auto lossy = whole;
    if (!hide(lossy, at)) continue;
    EXPECT_EQ(findings_of(judge(lossy, all_properties())), "") << "event " << at;
  }
}

TEST_P(Permitted, IsNotConvictedWhereCallsOverlap) {
  expect_held_where_calls_overlap(tell(GetParam().profile, nullptr, GetParam().story));
}

INSTANTIATE_TEST_SUITE_P(Rules, Permitted, testing::ValuesIn(permissions()), [](const auto& info) {
  return test_name(info.param.rule) + "_" + std::to_string(info.index);
});

}  // namespace
}  // namespace assay::told
