// The postgres driver answers what the memory driver answers, and is certified under every built-in
// profile.
#include "drivers/memory/memory.h"
#include "harness/run/parts.h"
#include "tests/drivers/differential.h"
#include "tests/drivers/postgres_fixture.h"
#include "tests/harness/run/fakes.h"

namespace assay::pg_test {
namespace {

class PostgresUnder : public Postgres, public ::testing::WithParamInterface<std::string_view> {};

TEST_P(PostgresUnder, AnswersAsMemoryDoes) {
  differential::expect_same_answers({memory()}, {postgres(), server()->url()},
                                    built_in_profile(GetParam()).value(), 30);
}

TEST_P(PostgresUnder, IsCertified) {
  CertifyOptions options;
  options.driver = "postgres";
  options.driver_url = server()->url();
  options.profile = built_in_profile(GetParam()).value();
  options.level = Level::concurrency;
  options.seed = 20'300'101;
  options.cases = 10;
  options.jobs = 2;
  options.budget_seconds = 1e9;
  CertifyListener silent;
  const Report report = certify(postgres(), options, built_in_parts(), silent);
  EXPECT_TRUE(report.certified) << fakes::text_of(report);
  EXPECT_EQ(report.exit_status, 0);
}

INSTANTIATE_TEST_SUITE_P(Profiles, PostgresUnder, ::testing::ValuesIn(profile_names()),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_F(Postgres, AnswersAsMemoryDoesWhateverTheKnobsAre) {
  differential::expect_same_answers_whatever_the_knobs({memory()}, {postgres(), server()->url()},
                                                       80);
}

TEST_F(Postgres, LeavesNoSchemaBehind) {
  {
    Rig rig;
    ASSERT_TRUE(rig.driver->teardown().ok());
  }
  EXPECT_TRUE(sql("SELECT FROM pg_namespace WHERE nspname = 'assay:test'").empty());
}

}  // namespace
}  // namespace assay::pg_test
