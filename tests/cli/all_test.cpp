// `assay certify all`, as a person runs it.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/cli/catalogue.h"
#include "harness/run/compare.h"
#include "harness/run/parts.h"
#include "tests/cli/cli_test.h"

namespace assay::tests {
namespace {

using Json = nlohmann::json;

class All : public CliTest {
 protected:
  static bool has_servers() {
    return std::system(
               "command -v redis-server >/dev/null && ls /usr/lib/postgresql/*/bin/initdb "
               ">/dev/null 2>&1") == 0;
  }

  Json report(const std::string& folder) const {
    std::ifstream file(home_ / folder / "report.json");
    return Json::parse(file);
  }
};

TEST_F(All, CertifiesAndComparesTheDriversThatShip) {
  if (!has_servers()) GTEST_SKIP() << "no redis-server or no PostgreSQL server programs here";
  const Ended ended = assay({"certify", "all", "--cases", "3", "--seed", "1", "--out", "run"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("CERTIFIED: 4 drivers under reference"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("PASS META-1"), std::string::npos) << ended.out;
  EXPECT_TRUE(scratch_is_empty());

  const Json whole = report("run");
  EXPECT_EQ(whole["certified"], true);
  ASSERT_EQ(whole["drivers"].size(), 4u);
  EXPECT_EQ(whole["alike"]["verdict"], "PASS");
  EXPECT_EQ(whole["alike"]["parted"], 0);
  EXPECT_EQ(whole["alike"]["drivers"], Json::parse(R"(["memory","sqlite","postgres","redis"])"));
  for (const Json& driver : whole["drivers"]) {
    EXPECT_EQ(report("run/" + std::string(driver["driver"])), driver);
    EXPECT_TRUE(std::filesystem::exists(home_ / "run" / driver["driver"] / "tokens.txt"));
  }
  std::ifstream junit(home_ / "run" / "junit.xml");
  std::string text((std::istreambuf_iterator<char>(junit)), {});
  for (const char* suite :
       {"assay memory", "assay sqlite", "assay postgres", "assay redis", "assay all"})
    EXPECT_NE(text.find("<testsuite name=\"" + std::string(suite) + "\""), std::string::npos)
        << suite;
}

class AllUnder : public All, public testing::WithParamInterface<std::string> {};

TEST_P(AllUnder, BehaveAlike) {
  if (!has_servers()) GTEST_SKIP() << "no redis-server or no PostgreSQL server programs here";
  const Ended ended = assay({"certify", "all", "--rules", "META-1", "--cases", "5", "--seed", "7",
                             "--profile", GetParam(), "--json"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const Json alike = Json::parse(ended.out)["alike"];
  EXPECT_EQ(alike["verdict"], "PASS");
  EXPECT_EQ(alike["parted"], 0);
  EXPECT_EQ(alike["unknown"], 0);
  EXPECT_GT(alike["answers"], 3000);
}

INSTANTIATE_TEST_SUITE_P(Profiles, AllUnder,
                         testing::Values("reference", "taskharbor", "trace", "upnext", "weave"),
                         [](const auto& profile) { return profile.param; });

TEST_F(All, ReplaysADifferenceOnBothDrivers) {
  const DriverInfo one = cli::driver_named("memory").value();
  const DriverInfo other = cli::driver_named("mutant:ack_takes_stale_token").value();
  const ComparedDriver drivers[] = {{&one, "memory", {}, {}},
                                    {&other, "mutant:ack_takes_stale_token", {}, {}}};
  CompareOptions options;
  options.profile = built_in_profile("reference").value();
  options.cases = 0;
  CertifyListener silent;
  const LikenessReport report = compare_drivers(drivers, options, built_in_parts(), silent);
  ASSERT_EQ(report.rule.verdict, Verdict::fail);
  const Ended ended = assay({"replay", report.rule.token});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("FAIL META-1"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("on memory: "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("MATCH: history"), std::string::npos) << ended.out;
  expect_usage({"replay", report.rule.token, "--driver-url", "x"}, "the token names two drivers");
}

TEST_F(All, GoesOnWithoutAServerThatCannotBeHad) {
  environment_.extra["ASSAY_REDIS_BIN"] = "/nonexistent";
  environment_.extra["ASSAY_POSTGRES_BIN"] = "/nonexistent";
  const Ended ended = assay({"certify", "all", "--backend", "native", "--cases", "1", "--seed", "1",
                             "--json", "--rules", "ACK-1,META-1"});
  EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
  const Json whole = Json::parse(ended.out);
  ASSERT_EQ(whole["drivers"].size(), 4u);
  EXPECT_EQ(whole["drivers"][0]["rules"][0]["verdict"], "PASS");
  EXPECT_EQ(whole["drivers"][1]["rules"][0]["verdict"], "PASS");
  for (const int i : {2, 3}) {
    const Json& rule = whole["drivers"][static_cast<std::size_t>(i)]["rules"][0];
    EXPECT_EQ(rule["verdict"], "ERROR");
    EXPECT_NE(std::string(rule["reason"]).find("is not installed here"), std::string::npos) << rule;
  }
  EXPECT_EQ(whole["alike"]["verdict"], "ERROR");
  EXPECT_GT(whole["alike"]["answers"], 0) << whole["alike"];
}

TEST_F(All, ComparesAloneWhereOnlyThatIsAskedFor) {
  environment_.extra["ASSAY_REDIS_BIN"] = "/nonexistent";
  environment_.extra["ASSAY_POSTGRES_BIN"] = "/nonexistent";
  const Ended ended = assay(
      {"certify", "all", "--backend", "native", "--cases", "1", "--json", "--rules", "META-1"});
  const Json whole = Json::parse(ended.out);
  EXPECT_TRUE(whole["drivers"].empty());
  EXPECT_GT(whole["alike"]["answers"], 0);
}

TEST_F(All, SkipsDriversOfWhichTheFilterLeavesNothing) {
  environment_.extra["ASSAY_REDIS_BIN"] = "/nonexistent";
  environment_.extra["ASSAY_POSTGRES_BIN"] = "/nonexistent";
  const Ended ended = assay({"certify", "all", "--backend", "native", "--level", "durability",
                             "--rules", "DUR-1", "--cases", "0", "--out", "run"});
  const Json whole = report("run");
  ASSERT_EQ(whole["skipped"].size(), 1u) << ended.out << ended.err;
  EXPECT_EQ(whole["skipped"][0]["driver"], "memory");
  EXPECT_NE(std::string(whole["skipped"][0]["reason"]).find("DUR-1 (not claimed: "),
            std::string::npos);
  ASSERT_EQ(whole["drivers"].size(), 3u);
  EXPECT_EQ(whole["drivers"][0]["driver"], "sqlite");
  EXPECT_EQ(whole["drivers"][0]["rules"][0]["id"], "DUR-1");
  EXPECT_EQ(whole["drivers"][0]["rules"][0]["verdict"], "PASS");
  EXPECT_NE(ended.out.find("memory     skipped: "), std::string::npos) << ended.out;
  EXPECT_EQ(ended.status, 2) << "of those that have no server";
}

TEST_F(All, SaysWhatItWouldRun) {
  const Ended ended = assay({"certify", "all", "--list"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out.find("memory, sqlite, postgres, redis under reference"), 0u) << ended.out;
  EXPECT_NE(ended.out.find("META-1"), std::string::npos);
  const Json listed = Json::parse(assay({"certify", "all", "--list", "--json"}).out);
  EXPECT_EQ(listed["drivers"].size(), 4u);
}

TEST_F(All, RefusesWhatMakesNoSense) {
  expect_usage({"certify", "all", "--driver-url", "x"}, "--driver-url makes no sense for all");
  expect_usage({"certify", "all", "--rules", "NONE-1"}, "no rule matches");
  expect_usage({"certify", "all", "--rules", "DUR-1"}, "none of the selected rules can be tested");
  expect_usage({"certify", "all", "--driver-env", "A=B"}, "--driver-env makes no sense");
  expect_usage({"certify", "all", "--profile", "nobody"}, "there is no profile");
}

TEST_F(All, LeavesComparingToItself) {
  const Ended ended = assay({"certify", "memory", "--rules", "META-1"});
  EXPECT_EQ(ended.status, 64);
  EXPECT_NE(ended.err.find("`assay certify all` does"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace assay::tests
