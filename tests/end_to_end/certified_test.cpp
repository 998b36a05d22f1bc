// The memory driver, certified as people do it: every part that ships, every built-in profile.
#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/memory/memory.h"
#include "tests/end_to_end/parts.h"
#include "tests/harness/run/fakes.h"

namespace assay {
namespace {

CertifyOptions options_for(std::string_view profile) {
  CertifyOptions options;
  options.driver = "memory";
  options.profile = built_in_profile(profile).value();
  options.seed = 20'300'101;
  options.cases = 50;
  return options;
}

class Certified : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Certified, TheMemoryDriverIs) {
  CertifyListener silent;
  const Report report = certify(memory(), options_for(GetParam()), end_to_end::parts(), silent);
  EXPECT_TRUE(report.canary_convicted);
  EXPECT_TRUE(report.certified) << fakes::text_of(report);
  EXPECT_EQ(report.exit_status, 0);
  EXPECT_EQ(report.generated, 50u);
  for (const RuleReport& rule : report.rules) {
    if (rule.verdict == Verdict::not_applicable) continue;
    EXPECT_EQ(rule.verdict, Verdict::pass) << rule.id << ": " << rule.reason << "\n" << rule.story;
  }
}

TEST_P(Certified, GivesTheSameReportForTheSameSeed) {
  CertifyListener silent;
  CertifyOptions options = options_for(GetParam());
  options.cases = 10;
  const Report once = certify(memory(), options, end_to_end::parts(), silent);
  options.jobs = 3;
  const Report again = certify(memory(), options, end_to_end::parts(), silent);
  EXPECT_EQ(fakes::text_of(once), fakes::text_of(again));
}

INSTANTIATE_TEST_SUITE_P(Profiles, Certified, ::testing::ValuesIn(profile_names()),
                         [](const auto& test) { return std::string(test.param); });

TEST(Convicted, TheCanaryIsWithATokenThatReplays) {
  const Parts parts = end_to_end::parts();
  CertifyListener silent;
  CertifyOptions options = options_for(parts.canary->default_profile);
  options.driver = parts.canary->name;
  options.cases = 10;
  const Report report = certify(*parts.canary, options, parts, silent);
  EXPECT_EQ(report.exit_status, 1);
  const RuleReport* rule = fakes::find(report, parts.canary_rule);
  ASSERT_TRUE(rule && rule->verdict == Verdict::fail) << fakes::text_of(report);
  const auto token = decode_token(rule->token);
  ASSERT_TRUE(token.ok()) << rule->token;
  const ReplayResult again = replay(token.value(), *parts.canary, parts, "");
  EXPECT_TRUE(again.match) << again.divergence;
  EXPECT_TRUE(again.convicted);
}

}  // namespace
}  // namespace assay
