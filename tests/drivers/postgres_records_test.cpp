// Records, wake-ups and setup of the postgres driver.
#include "drivers/memory/memory.h"
#include "drivers/postgres/postgres.h"
#include "tests/drivers/backend_crash.h"
#include "tests/drivers/engine_suite.h"
#include "tests/drivers/postgres_server.h"
#include "tests/drivers/records_suite.h"
#include "tests/drivers/setup_suite.h"
#include "tests/drivers/wakeups_suite.h"

namespace assay::on_store {
namespace {

using Url = Result<std::optional<std::string>>;

Store on_postgres() {
  return {"postgres", postgres(),
          [](const std::string&) -> Url {
            if (!pg_test::server()) return unsupported(pg_test::why_not());
            return Url(pg_test::server()->url());
          },
          true};
}

class PostgresCommits : public ::testing::TestWithParam<std::string> {};

TEST_P(PostgresCommits, AreAnsweredAsThoseOfMemory) {
  if (!pg_test::server()) GTEST_SKIP() << pg_test::why_not();
  const Store in_memory{"memory", memory(), [](const std::string&) { return Url(std::nullopt); }};
  expect_same_commits({in_memory, GetParam()}, {on_postgres(), GetParam()}, 20);
}

TEST(CommitsOnPostgres, AreWholeAfterTheServerIsKilledInTheMiddle) {
  expect_whole_after_crashes(postgres());
}

TEST(WakeUpsOnPostgres, ComeAgainAfterTheServerWasAway) {
  expect_woken_after_a_restart(postgres());
}

INSTANTIATE_TEST_SUITE_P(Differential, PostgresCommits,
                         ::testing::Values("reference", "taskharbor", "trace", "upnext", "weave"),
                         [](const auto& profile) { return profile.param; });

INSTANTIATE_TEST_SUITE_P(Postgres, SetupOnStore,
                         ::testing::Values(Case{on_postgres(), "reference"}), name_of_case);

INSTANTIATE_TEST_SUITE_P(Postgres, RecordsOnStore,
                         ::testing::ValuesIn(with_every_profile({on_postgres()})), name_of_case);

INSTANTIATE_TEST_SUITE_P(Postgres, WakeUpsOnStore,
                         ::testing::ValuesIn(with_every_profile({on_postgres()})), name_of_case);

INSTANTIATE_TEST_SUITE_P(Postgres, EngineOnStore,
                         ::testing::Values(Case{on_postgres(), "reference"},
                                           Case{on_postgres(), "trace"}),
                         name_of_case);

}  // namespace
}  // namespace assay::on_store
