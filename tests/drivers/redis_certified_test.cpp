// The redis driver answers what the memory driver answers, and is certified under every built-in
// profile.
#include "drivers/memory/memory.h"
#include "harness/run/parts.h"
#include "tests/drivers/differential.h"
#include "tests/drivers/redis_fixture.h"
#include "tests/harness/run/fakes.h"

namespace assay::redis_test {
namespace {

class RedisUnder : public Redis, public ::testing::WithParamInterface<std::string_view> {};

TEST_P(RedisUnder, AnswersAsMemoryDoes) {
  differential::expect_same_answers({memory()}, {redis(), server()->url()},
                                    profile_named(GetParam()), 60);
}

TEST_P(RedisUnder, IsCertified) {
  CertifyOptions options;
  options.driver = "redis";
  options.driver_url = server()->url();
  options.profile = profile_named(GetParam());
  options.level = Level::concurrency;
  options.seed = 20'300'101;
  options.cases = 20;
  options.jobs = 2;
  options.budget_seconds = 1e9;
  CertifyListener silent;
  const Report report = certify(redis(), options, built_in_parts(), silent);
  EXPECT_TRUE(report.certified) << fakes::text_of(report);
  EXPECT_EQ(report.exit_status, 0);
}

INSTANTIATE_TEST_SUITE_P(Profiles, RedisUnder, ::testing::ValuesIn(profile_names()),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_F(Redis, AnswersAsMemoryDoesWhateverTheKnobsAre) {
  differential::expect_same_answers_whatever_the_knobs({memory()}, {redis(), server()->url()}, 150);
}

}  // namespace
}  // namespace assay::redis_test
