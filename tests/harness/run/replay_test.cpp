#include <gtest/gtest.h>

#include "tests/harness/run/fakes.h"

namespace assay {
namespace {

// The report on the rule that a driver with these faults is convicted of.
RuleReport conviction(const DriverInfo& driver) {
  CertifyListener silent;
  const Report report = certify(driver, fakes::options(), fakes::parts(), silent);
  const RuleReport* rule = fakes::find(report, "ENQ-1");
  CHECK(rule && rule->verdict == Verdict::fail);
  return *rule;
}

ReplayToken token_of(const RuleReport& rule) { return decode_token(rule.token).value(); }

TEST(Replay, OfADeterministicDriverMatchesAndConvictsAgain) {
  const DriverInfo driver = fakes::driver({.lies_from = 2});
  const RuleReport rule = conviction(driver);
  const ReplayResult result = replay(token_of(rule), driver, fakes::parts(), {});
  EXPECT_TRUE(result.match) << result.divergence;
  EXPECT_TRUE(result.convicted);
  EXPECT_EQ(result.divergence, "");
  EXPECT_EQ(result.hash, token_of(rule).history_hash);
  EXPECT_FALSE(result.trouble);
}

TEST(Replay, OfARepairedDriverDivergesWhereItNowDoesBetter) {
  const RuleReport rule = conviction(fakes::driver({.lies_from = 2}));
  const ReplayResult result = replay(token_of(rule), fakes::driver({}), fakes::parts(), {});
  EXPECT_FALSE(result.match);
  EXPECT_FALSE(result.convicted);
  EXPECT_NE(result.divergence.find("event 4 is the first that differs"), std::string::npos)
      << result.divergence;
}

TEST(Replay, OfATokenWithoutATraceSaysThatTheHashDiffers) {
  const RuleReport rule = conviction(fakes::driver({.lies_from = 2}));
  ReplayToken token = token_of(rule);
  token.history_trace.clear();
  const ReplayResult result = replay(token, fakes::driver({}), fakes::parts(), {});
  EXPECT_FALSE(result.match);
  EXPECT_EQ(result.divergence.find("first"), std::string::npos) << result.divergence;
  EXPECT_NE(result.divergence.find("hash"), std::string::npos) << result.divergence;
}

TEST(Replay, DrawsThePlanOfASeedAgain) {
  const DriverInfo driver = fakes::driver({});
  ReplayToken token;
  token.driver = "fake";
  token.profile = built_in_profile("reference").value();
  token.plan_seed = 11;
  const ReplayResult unknown = replay(token, driver, fakes::parts(), {});
  EXPECT_FALSE(unknown.match);
  EXPECT_FALSE(unknown.history.events.empty());
  token.history_hash = unknown.hash;
  EXPECT_TRUE(replay(token, driver, fakes::parts(), {}).match);
}

TEST(Replay, OfStepsThatAreMadeAtOnceTellsHowOftenItConvicts) {
  ReplayToken token;
  token.driver = "fake";
  token.profile = built_in_profile("reference").value();
  token.rule = "ENQ-1";
  token.history_hash = 1;  // of no run that there will be
  token.plan = Plan{"race", {{"w1", Role::worker}, {"w2", Role::worker}}, {}};
  for (int client = 0; client < 2; ++client)
    token.plan->steps.push_back({.kind = StepKind::enqueue,
                                 .client = client,
                                 .slot = client,
                                 .free = true,
                                 .queues = {"q"},
                                 .type = "t"});
  const ReplayResult result = replay(token, fakes::driver({.lies_from = 1}), fakes::parts(), {});
  EXPECT_TRUE(result.free);
  EXPECT_TRUE(result.match) << result.divergence;
  EXPECT_TRUE(result.convicted);
  EXPECT_EQ(result.runs, 100);
  EXPECT_EQ(result.convictions, 100);
  const ReplayResult repaired = replay(token, fakes::driver({}), fakes::parts(), {});
  EXPECT_FALSE(repaired.match);
  EXPECT_EQ(repaired.convictions, 0);
  EXPECT_NE(repaired.divergence.find("convicted in none of 1000 runs"), std::string::npos)
      << repaired.divergence;
}

TEST(Replay, DrawsAPlanOfClientsThatMoveAtOnceAgain) {
  ReplayToken token;
  token.driver = "fake";
  token.profile = built_in_profile("reference").value();
  token.plan_seed = 11;
  token.plan_free = true;
  const ReplayResult result = replay(token, fakes::driver({}), fakes::parts(), {});
  EXPECT_TRUE(result.free);
  EXPECT_EQ(result.history.plan, "free/11");
}

TEST(Replay, ReportsADriverThatCannotBeUsed) {
  ReplayToken token;
  token.profile = built_in_profile("reference").value();
  token.plan_seed = 11;
  token.history_hash = 1;
  const auto result = replay(token, fakes::driver({.no_setup = true}), fakes::parts(), {});
  ASSERT_TRUE(result.trouble);
  EXPECT_NE(result.trouble->find("no store here"), std::string::npos);
  EXPECT_FALSE(result.match);
}

TEST(Replay, NeedsAPlan) {
  const ReplayResult result = replay({}, fakes::driver({}), fakes::parts(), {});
  EXPECT_TRUE(result.trouble);
  EXPECT_FALSE(result.match);
}

}  // namespace
}  // namespace assay
