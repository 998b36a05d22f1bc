// META-1: the same plans on several drivers, and who is told apart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "drivers/memory/memory.h"
#include "drivers/mutants/all.h"
#include "drivers/sqlite/sqlite.h"
#include "harness/run/compare.h"
#include "harness/run/parts.h"
#include "tests/drivers/sqlite_fixture.h"
#include "tests/harness/run/fakes.h"

namespace assay {
namespace {

LikenessReport compared(const std::vector<DriverInfo>& drivers,
                        std::string_view profile = "reference", std::uint64_t cases = 10) {
  const lite_test::TempFolder scratch;
  CompareOptions options;
  options.profile = built_in_profile(profile).value();
  options.seed = 20'300'101;
  options.cases = cases;
  options.scratch = scratch.path();
  std::vector<ComparedDriver> compared;
  for (const DriverInfo& driver : drivers) compared.push_back({&driver, driver.name, {}, {}});
  CertifyListener silent;
  return compare_drivers(compared, options, built_in_parts(), silent);
}

DriverInfo mutant(std::string_view name) {
  DriverInfo driver = find_mutant(name)->driver();
  driver.name = "mutant:" + std::string(name);
  return driver;
}

class AlikeUnder : public ::testing::TestWithParam<std::string_view> {};

TEST_P(AlikeUnder, AreMemoryAndSqlite) {
  const LikenessReport report = compared({memory(), sqlite()}, GetParam());
  EXPECT_EQ(report.rule.verdict, Verdict::pass) << report.rule.reason << "\n" << report.rule.story;
  EXPECT_EQ(report.parted, 0u);
  EXPECT_GT(report.rule.triggered, 50u);
  EXPECT_GT(report.answers, 1000u);
  EXPECT_TRUE(report.troubles.empty());
}

INSTANTIATE_TEST_SUITE_P(Profiles, AlikeUnder, ::testing::ValuesIn(profile_names()),
                         [](const auto& profile) { return std::string(profile.param); });

TEST(Alike, ConvictsAMutantAmongTheDrivers) {
  for (const std::string_view name :
       {"ack_takes_stale_token", "serves_last_first", "get_forgets_dead", "sqlite_ack_unfenced"}) {
    const LikenessReport report = compared({memory(), mutant(name)}, "reference", 2);
    EXPECT_EQ(report.rule.verdict, Verdict::fail) << name;
    EXPECT_NE(report.rule.story.find("on memory: "), std::string::npos) << report.rule.story;
    EXPECT_NE(report.rule.story.find(fmt::format("on mutant:{}: ", name)), std::string::npos)
        << report.rule.story;
    const auto token = decode_token(report.rule.token);
    ASSERT_TRUE(token.ok());
    EXPECT_EQ(token->driver, fmt::format("memory,mutant:{}", name));
    ASSERT_TRUE(report.rule.plan.has_value());
    EXPECT_LT(report.rule.plan->steps.size(), 10u);
  }
}

TEST(Alike, ShowsADifferenceAgain) {
  const DriverInfo one = memory(), other = mutant("ack_takes_stale_token");
  const LikenessReport report = compared({one, other});
  const auto token = decode_token(report.rule.token);
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(compared_in(*token), (std::vector<std::string>{"memory", other.name}));
  const PairReplay again =
      replay_pair(*token, {&one, "memory", {}, {}}, {&other, other.name, {}, {}}, "");
  EXPECT_TRUE(again.result.convicted);
  EXPECT_TRUE(again.result.match) << again.result.divergence;
  EXPECT_NE(again.story.find("on memory: "), std::string::npos) << again.story;
  const PairReplay alike =
      replay_pair(*token, {&one, "memory", {}, {}}, {&one, "memory", {}, {}}, "");
  EXPECT_FALSE(alike.result.convicted);
  EXPECT_EQ(alike.story, "memory and memory behave alike");
}

TEST(Alike, IsInconclusiveWhereNobodyKnowsHowCallsEnd) {
  const DriverInfo silent = fakes::driver({.unreachable = true});
  const LikenessReport report = compared({silent, silent});
  EXPECT_EQ(report.rule.verdict, Verdict::inconclusive) << report.rule.reason;
  EXPECT_GT(report.unknown, 0u);
}

TEST(Alike, IsMissingWithFewerThanTwoDrivers) {
  EXPECT_EQ(compared({memory()}).rule.verdict, Verdict::missing);
  const DriverInfo broken = fakes::driver({.cannot_be_made = true});
  const LikenessReport report = compared({memory(), broken});
  EXPECT_EQ(report.rule.verdict, Verdict::missing);
  EXPECT_NE(report.rule.reason.find(broken.name + ": "), std::string::npos) << report.rule.reason;
}

TEST(Alike, IsAnErrorWhereADriverBreaks) {
  const LikenessReport report = compared({memory(), sqlite(), fakes::driver({.no_setup = true})});
  EXPECT_EQ(report.rule.verdict, Verdict::error);
  EXPECT_FALSE(report.driver_troubles.empty());
}

TEST(Alike, IsVoidWithoutACanary) {
  Parts parts = built_in_parts();
  parts.canary = nullptr;
  const DriverInfo driver = memory();
  const ComparedDriver two[] = {{&driver, "memory", {}, {}}, {&driver, "memory", {}, {}}};
  CompareOptions options;
  options.profile = built_in_profile("reference").value();
  options.cases = 1;
  CertifyListener silent;
  const LikenessReport report = compare_drivers(two, options, parts, silent);
  EXPECT_FALSE(report.troubles.empty());
  EXPECT_EQ(report.rule.verdict, Verdict::missing);
}

}  // namespace
}  // namespace assay
