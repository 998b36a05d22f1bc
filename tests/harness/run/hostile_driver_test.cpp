#include <gtest/gtest.h>

#include <algorithm>

#include "tests/harness/run/fakes.h"

namespace assay {
namespace {

Report run(const fakes::Faults& faults, int jobs = 1) {
  CertifyListener silent;
  CertifyOptions options = fakes::options();
  options.jobs = jobs;
  return certify(fakes::driver(faults), options, fakes::parts(), silent);
}

void expect_all_errors(const Report& report, std::string_view why) {
  EXPECT_EQ(report.exit_status, 2);
  EXPECT_FALSE(report.certified);
  EXPECT_TRUE(report.troubles.empty()) << report.troubles.front();
  EXPECT_FALSE(report.driver_troubles.empty());
  ASSERT_EQ(report.rules.size(), 2u);
  for (const RuleReport& rule : report.rules) {
    EXPECT_EQ(rule.verdict, Verdict::error) << rule.id;
    EXPECT_NE(rule.reason.find(why), std::string::npos) << rule.reason;
  }
}

TEST(HostileDriver, ThatCannotBeMadeIsAnErrorEverywhere) {
  expect_all_errors(run({.cannot_be_made = true}), "out of stock");
  expect_all_errors(run({.factory_throws = true}), "factory on fire");
}

TEST(HostileDriver, WhoseProfileThrowsIsAnErrorEverywhere) {
  expect_all_errors(run({.profile_throws = true}), "unsaid");
}

TEST(HostileDriver, ThatNeverSetsUpIsGivenUpSoon) {
  const Report report = run({.no_setup = true});
  expect_all_errors(report, "no store here");
  EXPECT_EQ(report.scenarios + report.generated, 3u);
}

TEST(HostileDriver, ThatThrowsInSetupIsAnErrorEverywhere) {
  expect_all_errors(run({.setup_throws = true}), "no exception");
  expect_all_errors(run({.setup_throws = true}, 3), "no exception");
}

TEST(HostileDriver, ThatOpensNoSessionIsAnErrorEverywhere) {
  expect_all_errors(run({.null_session = true}), "null session");
}

TEST(HostileDriver, ThatThrowsInACallLeavesItsEndUnknown) {
  const Report report = run({.enqueue_throws = true});
  EXPECT_EQ(fakes::verdict_of(report, "ENQ-1"), Verdict::inconclusive) << fakes::text_of(report);
  EXPECT_EQ(report.exit_status, 2);
}

TEST(HostileDriver, WhoseStoreIsAwayIsInconclusive) {
  EXPECT_EQ(fakes::verdict_of(run({.unreachable = true}), "ENQ-1"), Verdict::inconclusive);
}

TEST(HostileDriver, ThatAnswersGarbageCrashesNothing) {
  const Report report = run({.garbage = true});
  EXPECT_EQ(report.generated, 5u);
  EXPECT_EQ(fakes::verdict_of(report, "ENQ-1"), Verdict::pass);
}

TEST(HostileDriver, ThatBreaksOnceIsMadeAnewAndNotCertified) {
  auto traffic = std::make_shared<fakes::Traffic>();
  CertifyListener silent;
  const Report report = certify(fakes::driver({.breaks_after = 2}, traffic), fakes::options(),
                                fakes::parts(), silent);
  EXPECT_EQ(traffic->made, 3);  // to ask for its profile, for the first cases, after the trouble
  EXPECT_EQ(report.generated, 5u);
  EXPECT_EQ(fakes::verdict_of(report, "ENQ-1"), Verdict::pass);
  EXPECT_EQ(report.driver_troubles.size(), 1u);
  EXPECT_EQ(report.exit_status, 2);
}

}  // namespace
}  // namespace assay
