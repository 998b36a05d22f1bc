#include <nlohmann/json.hpp>

#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

using BenchTest = tests::CliTest;
using Json = nlohmann::json;

TEST_F(BenchTest, TellsWhatADriverTakesAndGives) {
  const tests::Ended ended = assay({"bench", "drivers", "--driver", "memory", "--clients", "2",
                                    "--batches", "1,10", "--backlogs", "1000"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  for (const char* part : {"memory", "clients  batch", "One claim and its ack", "1,000 ready"})
    EXPECT_NE(ended.out.find(part), std::string::npos) << ended.out;
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(BenchTest, IsJsonWhereAskedTo) {
  const tests::Ended ended = assay({"bench", "drivers", "--driver", "sqlite", "--clients", "1",
                                    "--batches", "5", "--backlogs", "none", "--json"});
  const Json tables = Json::parse(ended.out);
  ASSERT_EQ(tables.size(), 1u);
  const Json& row = tables[0]["rows"][0];
  EXPECT_EQ(row["clients"], 1);
  EXPECT_EQ(row["batch"], 5);
  EXPECT_GT(row["enqueue"]["jobs_per_second"].get<double>(), 0);
  EXPECT_GT(row["settle"]["jobs_per_second"].get<double>(), 0);
  EXPECT_TRUE(tables[0]["claim_costs"].empty());
}

// Where there is a server, its own ceiling stands beside what the driver does.
TEST_F(BenchTest, ShowsTheStoresOwnCeiling) {
  for (const char* driver : {"postgres", "redis"}) {
    const tests::Ended ended = assay({"bench", "drivers", "--driver", driver, "--clients", "2",
                                      "--batches", "1,10", "--backlogs", "none", "--json"});
    if (ended.err.find("needs a server") != std::string::npos) GTEST_SKIP() << ended.err;
    ASSERT_EQ(ended.status, 0) << ended.err;
    for (const Json& row : Json::parse(ended.out)[0]["rows"]) {
      EXPECT_GT(row["enqueue"]["ceiling"].get<double>(), 0) << driver;
      EXPECT_GT(row["settle"]["ceiling"].get<double>(), 0) << driver;
    }
  }
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(BenchTest, RefusesWhatItCannotMeasure) {
  expect_usage({"bench"}, "assay bench drivers");
  expect_usage({"bench", "judges"}, "bench knows `drivers`");
  expect_usage({"bench", "drivers", "--driver", "memroy"}, "did you mean `memory`");
  expect_usage({"bench", "drivers", "--clients", "0"}, "--clients takes a whole number");
  expect_usage({"bench", "drivers", "--batches", "1,,2"}, "--batches takes a whole number");
  expect_usage({"bench", "drivers", "--backlogs", "5"}, "--backlogs takes a whole number");
  expect_usage({"bench", "drivers", "--backend", "podman"}, "--backend takes");
}

}  // namespace
}  // namespace assay::cli
