// The drivers that ship and need no server, certified as people do it: every part, every built-in
// profile.
#include <gtest/gtest.h>

#include "harness/run/parts.h"
#include "tests/drivers/embedded_drivers.h"
#include "tests/drivers/sqlite_fixture.h"
#include "tests/harness/run/fakes.h"

namespace assay {
namespace {

// The budget is out of reach, so that nothing depends on how fast we are.
CertifyOptions options_for(std::string_view driver, std::string_view profile) {
  CertifyOptions options;
  options.driver = driver;
  options.profile = built_in_profile(profile).value();
  options.seed = 20'300'101;
  options.cases = 20;
  options.budget_seconds = 1e9;
  return options;
}

class Certified : public ::testing::TestWithParam<std::tuple<DriverInfo, std::string_view>> {
 protected:
  Report certified(std::uint64_t cases, int jobs, Level level = Level::contract) const {
    const auto& [driver, profile] = GetParam();
    const lite_test::TempFolder scratch;
    CertifyOptions options = options_for(driver.name, profile);
    options.cases = cases;
    options.level = level;
    options.jobs = jobs;
    options.scratch = scratch.path();
    CertifyListener silent;
    return certify(driver, options, built_in_parts(), silent);
  }
};

TEST_P(Certified, IsEveryDriverThatNeedsNoServer) {
  const Report report = certified(20, 1);
  EXPECT_TRUE(report.canary_convicted);
  EXPECT_TRUE(report.certified) << fakes::text_of(report);
  EXPECT_EQ(report.exit_status, 0);
  EXPECT_EQ(report.generated, 20u);
  for (const RuleReport& rule : report.rules) {
    if (rule.verdict == Verdict::not_applicable) continue;
    EXPECT_EQ(rule.verdict, Verdict::pass) << rule.id << ": " << rule.reason << "\n" << rule.story;
  }
}

TEST_P(Certified, IsEveryDriverWhereClientsMoveAtOnce) {
  const Report report = certified(20, 1, Level::concurrency);
  EXPECT_TRUE(report.certified) << fakes::text_of(report);
  for (const std::string_view id : {"CLAIM-1", "XLEASE-3"})
    EXPECT_EQ(fakes::verdict_of(report, id), Verdict::pass) << id;
}

TEST_P(Certified, GivesTheSameReportForTheSameSeed) {
  EXPECT_EQ(fakes::text_of(certified(10, 1)), fakes::text_of(certified(10, 3)));
}

INSTANTIATE_TEST_SUITE_P(Drivers, Certified,
                         ::testing::Combine(::testing::ValuesIn(embedded_drivers()),
                                            ::testing::ValuesIn(profile_names())),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" +
                                  std::string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace assay
