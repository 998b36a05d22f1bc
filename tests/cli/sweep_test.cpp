#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_test.h"

namespace assay::tests {
namespace {

class Sweep : public CliTest {};

bool has_redis() { return std::system("command -v redis-server >/dev/null") == 0; }
bool has_postgres() {
  return std::system("ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1") == 0;
}

TEST_F(Sweep, TellsHowOftenItCutAndThatNothingIsLost) {
  const Ended ended = assay({"sweep", "sqlite", "--seed", "1"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  for (const char* part : {"plan     scenario/every_operation_is_made_once", "seed     1",
                           "statements", "every job is accounted for in each of"})
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << "\n" << ended.out;
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(Sweep, CutsRealStoresAtEachRoundTrip) {
  if (!has_redis() || !has_postgres()) GTEST_SKIP() << "no redis-server or no PostgreSQL here";
  for (const char* driver : {"redis", "postgres"}) {
    const Ended ended = assay({"sweep", driver, "--seed", "1", "--json"});
    ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    EXPECT_EQ(json["gates_at"], "each round trip to the store");
    EXPECT_EQ(json["points"], 3 * json["gates"].get<int>());
    EXPECT_EQ(json["runs"], json["points"]);
    EXPECT_EQ(json["missed"], 0);
  }
}

TEST_F(Sweep, RefusesWhatMakesNoSense) {
  expect_usage({"sweep"}, "needs a driver");
  expect_usage({"sweep", "memory", "--plan", "every_operation_is_made"},
               "did you mean `every_operation_is_made_once`");
  expect_usage({"sweep", "memory", "--budget", "soon"}, "--budget");
  expect_usage({"sweep", "memory", "--store", "redis"}, "--store is for drivers that are started");
}

// A driver in Python on a real Redis: neither knows of gates, or of any clock but the server's.
class Foreign : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    if (!has_redis()) GTEST_SKIP() << "no redis-server here";
    if (std::system("command -v python3 >/dev/null") != 0) GTEST_SKIP() << "no python3 here";
  }
  const std::string driver = "exec:python3 '" ASSAY_SOURCE_DIR "/tests/sdk/redis_queue.py'";
};

TEST_F(Foreign, RacesAreFoundAtRoundTripsAndFoundAgain) {
  const Ended found = assay({"explore", driver + " --careless", "--store", "redis", "--plan",
                             "one_job_has_one_claimer", "--seed", "3", "--json"});
  ASSERT_EQ(found.status, 1) << found.out << found.err;
  const auto json = nlohmann::json::parse(found.out);
  EXPECT_EQ(json["gates"], "each round trip to the store");
  EXPECT_EQ(json["lost_sight"], 0);
  for (const auto& rule : json["rules"]) {
    if (rule["id"] != "CLAIM-1") continue;
    EXPECT_EQ(rule["tier"], "round-trip exact");
    const Ended again = assay({"replay", rule["token"], "--store", "redis", "--check-determinism"});
    EXPECT_EQ(again.status, 1) << again.out << again.err;
    EXPECT_NE(again.out.find("(round-trip exact)"), std::string::npos) << again.out;
    EXPECT_EQ(last_line(again.out), "DETERMINISTIC: a second run made the same moves");
    return;
  }
  FAIL() << "CLAIM-1 was not convicted: " << found.out;
}

TEST_F(Foreign, LeasesEndByTheStoresClockWithoutWaiting) {
  const Ended ended = assay({"explore", driver, "--store", "redis", "--plan",
                             "an_expired_job_has_one_heir", "--seed", "3", "--schedules", "5"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("under a clock of ours"), std::string::npos) << ended.out;
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(Foreign, EveryCutIsAccountedFor) {
  const std::filesystem::path plan = home_ / "plan.json";
  std::ofstream(plan) << R"({"name": "one job", "clients": [{"name": "w"}], "steps": [
    {"do": "enqueue", "client": "w", "slot": 0, "queue": "q", "type": "t"},
    {"do": "reserve", "client": "w", "slot": 1, "queue": "q"},
    {"do": "ack", "client": "w", "token": {"claim": 1}}]})";
  const Ended ended =
      assay({"sweep", driver, "--store", "redis", "--seed", "3", "--plan", plan.string()});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("3 calls, 18 gates: 54 of 54 cuts made"), std::string::npos)
      << ended.out;
}

TEST_F(Foreign, AStoreIsNamedOnce) {
  expect_usage({"explore", driver, "--store", "redis", "--driver-url", "redis://127.0.0.1:1",
                "--plan", "one_job_has_one_claimer"},
               "--store and --driver-url contradict each other");
  expect_usage({"certify", driver, "--store", "mysql"}, "--store takes postgres or redis");
  expect_usage({"certify", driver, "--store", "redis", "--jobs", "2"}, "--jobs makes no sense");
}

}  // namespace
}  // namespace assay::tests
