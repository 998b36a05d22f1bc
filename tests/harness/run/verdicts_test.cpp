#include "harness/run/detail/verdicts.h"

#include <gtest/gtest.h>

namespace assay::detail {
namespace {

TEST(Decide, PassesOnlyWhatWasTriggered) {
  EXPECT_EQ(decide({.judged = true, .triggered = 1}, {}).verdict, Verdict::pass);
  EXPECT_EQ(decide({.judged = true, .triggered = 1}, {}).reason, "");
  EXPECT_EQ(decide({.judged = true}, {}).verdict, Verdict::vacuous);
  EXPECT_NE(decide({.judged = true}, {}).reason, "");
}

TEST(Decide, FailsWhatWasConvictedWhateverElseHappened) {
  const Circumstances bad{"unusable", "broke", 3};
  EXPECT_EQ(decide({.judged = true, .convicted = true, .triggered = 1}, bad).verdict,
            Verdict::fail);
}

TEST(Decide, CallsARuleThatNobodyJudgesMissing) {
  const Decision decision = decide({.judged = false}, {.unknown_outcomes = 3});
  EXPECT_EQ(decision.verdict, Verdict::missing);
  EXPECT_EQ(decision.reason, "not judged yet");
}

TEST(Decide, CallsItInconclusiveWhereUnknownEndsMayHaveHiddenTheTrigger) {
  EXPECT_EQ(decide({.judged = true}, {.unknown_outcomes = 2}).verdict, Verdict::inconclusive);
  EXPECT_EQ(decide({.judged = true, .triggered = 1}, {.unknown_outcomes = 2}).verdict,
            Verdict::pass);
}

TEST(Decide, BlamesTheDriverThatBrokeForWhatWasNeverTriggered) {
  const Circumstances broke{.driver_trouble = "store fell over"};
  EXPECT_EQ(decide({.judged = true}, broke).verdict, Verdict::error);
  EXPECT_NE(decide({.judged = true}, broke).reason.find("store fell over"), std::string::npos);
  EXPECT_EQ(decide({.judged = true, .triggered = 4}, broke).verdict, Verdict::pass);
}

TEST(Decide, CallsEverythingAnErrorWhereTheDriverCannotBeUsed) {
  const Circumstances unusable{.unusable = "no store here"};
  EXPECT_EQ(decide({.judged = false}, unusable).verdict, Verdict::error);
  EXPECT_EQ(decide({.judged = true, .triggered = 4}, unusable).reason, "no store here");
}

Report report_of(std::vector<Verdict> verdicts) {
  Report report;
  report.canary_convicted = true;
  for (Verdict verdict : verdicts) {
    RuleReport rule;
    rule.verdict = verdict;
    report.rules.push_back(rule);
  }
  return report;
}

TEST(ExitStatus, IsZeroWhereEveryClaimedRulePasses) {
  EXPECT_EQ(exit_status_of(report_of({Verdict::pass, Verdict::not_applicable, Verdict::waived})),
            0);
}

TEST(ExitStatus, IsOneAsSoonAsSomethingFails) {
  Report report = report_of({Verdict::pass, Verdict::error, Verdict::fail, Verdict::missing});
  report.troubles = {"scenario s did not trigger R-1"};
  report.partial = true;
  EXPECT_EQ(exit_status_of(report), 1);
}

TEST(ExitStatus, IsTwoWhereSomethingWasNotDecided) {
  for (Verdict verdict :
       {Verdict::error, Verdict::inconclusive, Verdict::vacuous, Verdict::missing})
    EXPECT_EQ(exit_status_of(report_of({Verdict::pass, verdict})), 2) << name_of(verdict);
}

TEST(ExitStatus, IsTwoWhereNothingPassedAtAll) {
  EXPECT_EQ(exit_status_of(report_of({})), 2);
  EXPECT_EQ(exit_status_of(report_of({Verdict::not_applicable})), 2);
}

TEST(ExitStatus, IsTwoForAPartialRunAndForADriverThatBroke) {
  Report report = report_of({Verdict::pass});
  report.partial = true;
  EXPECT_EQ(exit_status_of(report), 2);
  report.partial = false;
  report.driver_troubles = {"the driver broke"};
  EXPECT_EQ(exit_status_of(report), 2);
}

TEST(ExitStatus, IsThreeForOurOwnTrouble) {
  Report report = report_of({Verdict::pass});
  report.troubles = {"scenario s did not trigger R-1"};
  EXPECT_EQ(exit_status_of(report), 3);
}

TEST(ExitStatus, IsThreeWhereTheCanaryLivesEvenIfSomethingFailed) {
  Report report = report_of({Verdict::fail});
  report.canary_convicted = false;
  EXPECT_EQ(exit_status_of(report), 3);
}

TEST(VerdictNames, AreWhatPeopleRead) {
  EXPECT_EQ(name_of(Verdict::pass), "PASS");
  EXPECT_EQ(name_of(Verdict::not_applicable), "N/A");
  EXPECT_EQ(name_of(Verdict::waived), "WAIVED");
  EXPECT_EQ(name_of(Verdict::fail), "FAIL");
}

}  // namespace
}  // namespace assay::detail
