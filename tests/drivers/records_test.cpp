// Records, wake-ups and setup of the drivers that need no server.
#include "drivers/memory/memory.h"
#include "drivers/sqlite/sqlite.h"
#include "tests/drivers/records_suite.h"
#include "tests/drivers/setup_suite.h"
#include "tests/drivers/wakeups_suite.h"

namespace assay::on_store {
namespace {

using Url = Result<std::optional<std::string>>;

Store in_memory() {
  return {"memory", memory(), [](const std::string&) { return Url(std::nullopt); }};
}

Store sqlite_in_memory() {
  return {"sqlite_in_memory", sqlite(), [](const std::string&) { return Url(":memory:"); }};
}

Store sqlite_file() {
  return {"sqlite", sqlite(),
          [](const std::string& folder) { return Url(folder + "/f?synchronous=off"); }, true, true};
}

class SqliteCommits : public ::testing::TestWithParam<std::string> {};

TEST_P(SqliteCommits, AreAnsweredAsThoseOfMemory) {
  expect_same_commits({in_memory(), GetParam()}, {sqlite_in_memory(), GetParam()}, 40);
}

INSTANTIATE_TEST_SUITE_P(Differential, SqliteCommits,
                         ::testing::Values("reference", "taskharbor", "trace", "upnext", "weave"),
                         [](const auto& profile) { return profile.param; });

INSTANTIATE_TEST_SUITE_P(
    Sqlite, RecordsOnStore,
    ::testing::ValuesIn(with_every_profile({sqlite_in_memory(), sqlite_file()})), name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Sqlite, WakeUpsOnStore,
    ::testing::ValuesIn(with_every_profile({sqlite_in_memory(), sqlite_file()})), name_of_case);

INSTANTIATE_TEST_SUITE_P(Embedded, SetupOnStore,
                         ::testing::Values(Case{in_memory(), "reference"},
                                           Case{sqlite_file(), "reference"}),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(Memory, RecordsOnStore,
                         ::testing::ValuesIn(with_every_profile({in_memory()})), name_of_case);

INSTANTIATE_TEST_SUITE_P(Memory, WakeUpsOnStore,
                         ::testing::ValuesIn(with_every_profile({in_memory()})), name_of_case);

}  // namespace
}  // namespace assay::on_store
