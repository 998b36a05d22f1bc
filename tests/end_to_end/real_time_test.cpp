// Drivers whose clock cannot be moved are judged in real time: a faithful one is found to hold, and
// one with a bug is convicted, with a token that convicts again.
#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/memory/memory.h"
#include "drivers/mutants/all.h"
#include "harness/run/parts.h"
#include "tests/harness/run/fakes.h"

namespace assay {
namespace {

Profile in_real_time(std::string_view name) {
  Profile profile = built_in_profile(name).value();
  profile.clock = ClockKnob::store;
  profile.capabilities.erase("virtual_time");
  // What a person would set who has to wait for it.
  profile.backoff = {Duration{100}, Duration{400}};
  return profile;
}

CertifyOptions options_for(std::string driver, std::string_view profile) {
  CertifyOptions options;
  options.driver = std::move(driver);
  options.profile = in_real_time(profile);
  options.level = Level::concurrency;
  options.seed = 20'300'101;
  options.cases = 8;
  options.shrink_runs = 4;
  return options;
}

class InRealTime : public testing::TestWithParam<std::string_view> {};

TEST_P(InRealTime, AFaithfulDriverIsFoundToHold) {
  CertifyListener silent;
  const Report report =
      certify(memory(), options_for("memory", GetParam()), built_in_parts(), silent);
  EXPECT_TRUE(report.certified) << fakes::text_of(report);
}

INSTANTIATE_TEST_SUITE_P(Profiles, InRealTime, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

class MutantInRealTime : public testing::TestWithParam<std::string_view> {};

TEST_P(MutantInRealTime, IsConvicted) {
  const auto mutant = std::ranges::find(all_mutants(), GetParam(), &Mutant::name);
  ASSERT_TRUE(mutant != all_mutants().end());
  CertifyOptions options = options_for("mutant:" + std::string(mutant->name), mutant->profile);
  options.rules.assign(mutant->rules.begin(), mutant->rules.end());
  CertifyListener silent;
  const DriverInfo driver = mutant->driver();
  const Report report = certify(driver, options, built_in_parts(), silent);
  EXPECT_EQ(report.exit_status, 1) << fakes::text_of(report);
  const auto failed = std::ranges::find(report.rules, Verdict::fail, &RuleReport::verdict);
  ASSERT_TRUE(failed != report.rules.end()) << fakes::text_of(report);
  const auto token = decode_token(failed->token);
  ASSERT_TRUE(token.ok()) << token.error().message;
  const ReplayResult again = replay(*token, driver, built_in_parts(), {});
  EXPECT_TRUE(again.free);
  EXPECT_TRUE(again.convicted) << again.divergence;
}

INSTANTIATE_TEST_SUITE_P(Bugs, MutantInRealTime,
                         testing::Values("late_settle_accepted", "ack_changes_nothing"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay
