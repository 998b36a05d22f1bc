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

// It is emptied rather than made anew; nobody can tell, but by the time that it takes.
TEST_F(Postgres, MakesANamespaceThatComesAgainAsEmptyAsAnyOther) {
  {
    Rig rig;
    ASSERT_TRUE(rig.session->close().ok());
    ASSERT_TRUE(rig.driver->teardown().ok());
    std::string first;
    for (int times = 0; times < 5; ++times) {
      ASSERT_TRUE(rig.driver->setup({"test"}).ok());
      {
        auto session = rig.driver->open({"w", Role::worker});
        ASSERT_TRUE(session.ok());
        const auto nothing =
            (*session)->reserve(run_epoch, {.queues = {"q"}, .lease = Duration{1000}});
        ASSERT_TRUE(nothing.ok());
        EXPECT_TRUE(nothing->claims.empty());
        ASSERT_TRUE((*session)->pause(run_epoch, {"q"}).ok());
        Enqueue request;
        request.job.queue = "other";
        request.job.type = "t";
        const auto made = (*session)->enqueue(run_epoch, request);
        ASSERT_TRUE(made.ok()) << made.error().message;
        if (first.empty()) first = made->id;
        EXPECT_EQ(made->id, first);
        ASSERT_EQ(*rig.driver->now(), run_epoch);
        ASSERT_TRUE(rig.driver->advance(Duration{5}).ok());
      }
      ASSERT_TRUE(rig.driver->teardown().ok());
    }
    ASSERT_TRUE(rig.driver->setup({"another"}).ok());
    EXPECT_TRUE(sql("SELECT FROM pg_namespace WHERE nspname = 'assay:test'").empty());
    ASSERT_TRUE(rig.driver->teardown().ok());
  }
  EXPECT_TRUE(
      sql("SELECT FROM pg_namespace WHERE nspname IN ('assay:test', 'assay:another')").empty());
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
