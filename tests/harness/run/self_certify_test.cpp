#include "harness/run/self_certify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/harness/run/fakes.h"

namespace assay {
namespace {

TEST(SelfCertification, NamesTheRulesThatTheProfilePromises) {
  SelfCertification certification("fake", fakes::driver({}).make, fakes::parts());
  const auto rules = certification.rules();
  EXPECT_NE(std::ranges::find(rules, "ENQ-1"), rules.end());
  EXPECT_EQ(std::ranges::find(rules, "ENQ-5"), rules.end());
}

TEST(SelfCertification, ObjectsToNothingThatPasses) {
  SelfCertification certification("fake", fakes::driver({}).make, fakes::parts());
  EXPECT_EQ(certification.objection("ENQ-1"), std::nullopt);
  EXPECT_EQ(certification.objection(), std::nullopt);
}

TEST(SelfCertification, ShowsTheStoryAndTheTokenOfAConviction) {
  SelfCertification certification("fake", fakes::driver({.lies_from = 2}).make, fakes::parts());
  const auto objection = certification.objection("ENQ-1");
  ASSERT_TRUE(objection);
  EXPECT_NE(objection->find("FAIL ENQ-1"), std::string::npos) << *objection;
  EXPECT_NE(objection->find("That id is a lie."), std::string::npos) << *objection;
  EXPECT_NE(objection->find("assay1-"), std::string::npos) << *objection;
}

TEST(SelfCertification, ObjectsToWhatWasNotTested) {
  SelfCertification certification("fake", fakes::driver({}).make, fakes::parts());
  EXPECT_NE(certification.objection("ACK-1")->find("VACUOUS"), std::string::npos);
  EXPECT_NE(certification.objection("FENCE-2")->find("not judged yet"), std::string::npos);
  EXPECT_TRUE(certification.objection("NOPE-1"));
}

TEST(SelfCertification, RunsOnce) {
  auto traffic = std::make_shared<fakes::Traffic>();
  SelfCertification certification("fake", fakes::driver({}, traffic).make, fakes::parts());
  EXPECT_EQ(traffic->setups, 0);
  certification.objection("ENQ-1");
  const int setups = traffic->setups;
  EXPECT_GT(setups, 0);
  certification.objection("ACK-1");
  certification.objection();
  EXPECT_EQ(traffic->setups, setups);
}

TEST(SelfCertification, ObjectsToADriverThatCannotBeMade) {
  SelfCertification certification("fake", fakes::driver({.cannot_be_made = true}).make,
                                  fakes::parts());
  EXPECT_FALSE(certification.rules().empty());
  EXPECT_NE(certification.objection("ENQ-1")->find("out of stock"), std::string::npos);
  EXPECT_NE(certification.objection()->find("out of stock"), std::string::npos);
}

TEST(SelfCertification, TakesSeedAndBudgetFromTheEnvironment) {
  unsetenv("ASSAY_SEED");
  unsetenv("ASSAY_BUDGET");
  EXPECT_TRUE(self_certify_options("fake").cases);
  setenv("ASSAY_SEED", "99", 1);
  setenv("ASSAY_BUDGET", "2.5", 1);
  const CertifyOptions options = self_certify_options("fake");
  EXPECT_EQ(options.seed, 99u);
  EXPECT_EQ(options.budget_seconds, 2.5);
  EXPECT_FALSE(options.cases);
  unsetenv("ASSAY_SEED");
  unsetenv("ASSAY_BUDGET");
}

}  // namespace
}  // namespace assay
