// --replica: what a failover does to a driver, from the command line.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/cli/catalogue.h"
#include "harness/plan/token.h"
#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

class ReplicaOption : public tests::CliTest {
 protected:
  static bool has(const std::string& driver) {
    return driver_named(driver).ok() &&
           std::system(driver == "redis"
                           ? "command -v redis-server >/dev/null"
                           : "ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1") == 0;
  }

  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  // A rule that the driver claims only once it is made, on its store.
  static std::vector<std::string> certify(const std::string& driver) {
    return {"certify", driver, "--level", "durability", "--rules", "DUR-1",
            "--cases", "0",    "--seed",  "1",          "--out",   "run"};
  }

  // As a plan of one's own: accepted, failed over, looked at.
  tests::Ended failed_over(const std::string& driver, const std::string& replica) const {
    std::ofstream(home_ / "plan.json") << R"({"name": "p",
      "clients": [{"name": "producer", "role": "producer"}, {"name": "admin", "role": "admin"}],
      "steps": [{"do": "begin_fault", "fault": "fail_over", "with": {"lag": 1}, "slot": 1},
                {"do": "enqueue", "client": "producer", "slot": 0, "queue": "q", "type": "t"},
                {"do": "end_fault", "slot": 1},
                {"do": "get", "client": "admin", "job": {"made": 0}}]})";
    return assay({"run", "plan.json", "--driver", driver, "--replica", replica});
  }
};

TEST_F(ReplicaOption, OfAnAsynchronousOneConvictsADriverByATokenThatRepeatsIt) {
  if (!has("redis")) GTEST_SKIP() << "there is no redis";
  auto words = certify("redis");
  words.insert(words.end(), {"--replica", "async", "--fail-fast"});
  const tests::Ended ended = assay(words);
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_TRUE(says(ended.out, "with a replica: async")) << ended.out;
  EXPECT_TRUE(says(ended.out, "fail_over ends")) << ended.out;
  EXPECT_TRUE(says(ended.out, "the role of a master now")) << ended.out;
  const auto report = nlohmann::json::parse(std::ifstream(home_ / "run/report.json"));
  std::string token;
  for (const auto& rule : report["rules"])
    if (rule["id"] == "DUR-1") token = rule["token"];
  // Nothing else is said: the token knows that there was a replica.
  const tests::Ended again = assay({"replay", token});
  EXPECT_EQ(again.status, 1) << again.out << again.err;
  EXPECT_TRUE(says(again.out, "with a replica: async")) << again.out;
  EXPECT_TRUE(says(again.out, "MATCH: history")) << again.out;
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(ReplicaOption, OfASynchronousOneKeepsWhatAnAsynchronousOneLoses) {
  if (!has("postgres")) GTEST_SKIP() << "there is no postgres";
  const tests::Ended lost = failed_over("postgres", "async");
  EXPECT_EQ(lost.status, 1) << lost.out << lost.err;
  EXPECT_TRUE(says(lost.out, "FAIL DUR-1")) << lost.out;
  const tests::Ended kept = failed_over("postgres", "sync");
  EXPECT_EQ(kept.status, 0) << kept.out << kept.err;
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(ReplicaOption, OfASynchronousOneCertifiesThePostgresDriver) {
  if (!has("postgres")) GTEST_SKIP() << "there is no postgres";
  auto words = certify("postgres");
  words.insert(words.end(), {"--replica", "sync"});
  const tests::Ended ended = assay(words);
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(says(ended.out, "fail_over 2 planned, 2 begun, 2 proven")) << ended.out;
  EXPECT_FALSE(says(ended.out, "outlive a failover;")) << ended.out;
}

TEST_F(ReplicaOption, IsForFreePlayTooAndInItsTokens) {
  if (!has("redis")) GTEST_SKIP() << "there is no redis";
  const tests::Ended ended = assay({"chaos", "redis", "--replica", "async", "--faults", "fail_over",
                                    "--clients", "4", "--for", "30s", "--seed", "3"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_TRUE(says(ended.out, "had not arrived")) << ended.out;
  const std::string line = tests::last_line(ended.out);
  const auto token = decode_token(line.substr(line.rfind(' ') + 1));
  ASSERT_TRUE(token.ok()) << token.error().message;
  EXPECT_EQ(token->replica, "async");
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(ReplicaOption, IsMissedInALine) {
  if (!has("redis")) GTEST_SKIP() << "there is no redis";
  const tests::Ended ended = assay(certify("redis"));
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const auto report = nlohmann::json::parse(std::ifstream(home_ / "run/report.json"));
  EXPECT_TRUE(says(report.dump(),
                   "2 scenarios are left out: no driver claims to outlive a failover; --replica "
                   "shows what one does"))
      << report.dump(1);
}

TEST_F(ReplicaOption, IsAskedForInWordsThatMakeSense) {
  const auto certify = [](std::string driver, std::vector<std::string> more) {
    more.insert(more.begin(), {"certify", std::move(driver)});
    return more;
  };
  expect_usage(certify("memory", {"--replica", "async"}), "memory: it needs no server");
  expect_usage(certify("memory", {"--level", "durability", "--rules", "DUR-1"}),
               "DUR-1 (not claimed: needs durability!=none)");
  expect_usage(certify("all", {"--replica", "async"}), "--replica is of one driver");
  if (driver_named("redis").ok()) {
    expect_usage(certify("redis", {"--replica", "sync"}),
                 "async or sentinel for redis, not `sync`");
    expect_usage(certify("redis", {"--replica", "async", "--driver-url", "redis://here"}),
                 "--replica and --driver-url contradict");
    expect_usage(certify("redis", {"--replica", "async", "--backend", "docker"}),
                 "not for one in a container");
  }
  if (driver_named("postgres").ok())
    expect_usage(certify("postgres", {"--replica", "sentinel"}),
                 "async or sync for postgres, not `sentinel`");
}

}  // namespace
}  // namespace assay::cli
