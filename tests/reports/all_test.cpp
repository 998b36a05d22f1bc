// A run of several drivers, in every format.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/file.h"
#include "reports/json.h"
#include "reports/junit.h"
#include "reports/terminal.h"
#include "tests/reports/made_up_report.h"

namespace assay {
namespace {

using Json = nlohmann::json;

LikenessReport alike(Verdict verdict) {
  LikenessReport report;
  report.drivers = {"memory", "redis"};
  report.rule.id = alike_rule;
  report.rule.verdict = verdict;
  report.plans = 12;
  report.answers = 345;
  if (verdict == Verdict::fail) {
    report.rule.reason = "convicted in seed/7";
    report.rule.story =
        "1. w1 reserves: nothing\n\nstep 1: one found a job.\non memory: a\non redis: b";
    report.rule.token = "assay1-alike";
  }
  return report;
}

AllReport all_of(std::vector<Report> drivers, std::optional<LikenessReport> likeness) {
  AllReport all;
  all.assay_version = "0.1.0";
  all.profile = *built_in_profile("reference");
  all.seed = 42;
  all.drivers = std::move(drivers);
  all.likeness = std::move(likeness);
  all.exit_status = exit_status_of(all);
  all.certified = all.exit_status == 0;
  return all;
}

Report certificate(const std::string& driver) {
  Report report = tests::made_up_certificate();
  report.driver = driver;
  return report;
}

std::string told(const AllReport& report) {
  std::ostringstream out, err;
  TerminalReport terminal(out, err, {.program = "assay"});
  terminal.tell(report);
  return out.str();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AllExitStatus, IsTheWorstOfItsParts) {
  const auto status = [](std::vector<int> drivers, Verdict verdict) {
    AllReport all;
    for (const int one : drivers) {
      all.drivers.emplace_back();
      all.drivers.back().canary_convicted = true;
      all.drivers.back().exit_status = one;
    }
    all.likeness = alike(verdict);
    return exit_status_of(all);
  };
  EXPECT_EQ(status({0, 0}, Verdict::pass), 0);
  EXPECT_EQ(status({0, 2}, Verdict::pass), 2);
  EXPECT_EQ(status({3, 2}, Verdict::pass), 3);
  EXPECT_EQ(status({3, 1, 2}, Verdict::pass), 1);
  EXPECT_EQ(status({0, 0}, Verdict::fail), 1);
  EXPECT_EQ(status({0, 0}, Verdict::missing), 2);
  EXPECT_EQ(status({}, Verdict::pass), 0);
}

TEST(AllExitStatus, IsThreeWhereACanaryLivesOrNothingWasRun) {
  AllReport all = all_of({certificate("memory"), tests::made_up_report()}, alike(Verdict::fail));
  all.drivers[0].canary_convicted = false;
  EXPECT_EQ(exit_status_of(all), 3);
  EXPECT_EQ(exit_status_of(AllReport{}), 3);
}

TEST(AllTerminal, TellsOfACertificate) {
  const std::string text =
      told(all_of({certificate("memory"), certificate("redis")}, alike(Verdict::pass)));
  EXPECT_TRUE(has(text, "             memory              redis\n")) << text;
  EXPECT_TRUE(has(text, "  FENCE      1 PASS              1 PASS\n")) << text;
  EXPECT_TRUE(has(text, "CERTIFIED: 2 drivers under reference at level contract, and alike"))
      << text;
}

TEST(AllTerminal, TellsWhoWasSkipped) {
  AllReport all = all_of({certificate("redis")}, {});
  all.skipped = {{"memory", "it claims nothing of that"}};
  EXPECT_TRUE(has(told(all), "; only the selected rules were tested; skipped: memory\n"))
      << told(all);
  EXPECT_TRUE(has(junit_xml(all), "<skipped message=\"not certified: it claims nothing of that\"/>"))
      << junit_xml(all);
  EXPECT_EQ(Json::parse(report_json(all))["skipped"][0]["driver"], "memory");
}

TEST(AllTerminal, EndsInTheReplayOfTheFirstFailure) {
  const std::string text =
      told(all_of({certificate("memory"), tests::made_up_report()}, alike(Verdict::fail)));
  EXPECT_TRUE(has(text, "NOT CERTIFIED: ")) << text;
  EXPECT_TRUE(has(text, "FAIL META-1: All drivers of one profile behave alike.")) << text;
  EXPECT_TRUE(has(text, "assay replay assay1-eJyrVkrLz1eyUkpKLFKqBQA\n")) << text;
  const std::string unlike = told(all_of({}, alike(Verdict::fail)));
  EXPECT_TRUE(unlike.ends_with("assay replay assay1-alike\n")) << unlike;
}

TEST(AllJson, HasWhatItsSchemaAsksFor) {
  const auto text =
      files::read_whole(std::string(ASSAY_SOURCE_DIR) + "/docs/report-all.schema.json");
  const Json schema = Json::parse(text.value());
  const AllReport all = all_of({certificate("memory")}, alike(Verdict::fail));
  const Json report = Json::parse(report_json(all));
  const auto expect_fits = [](const Json& value, const Json& rule) {
    for (const std::string name : rule["required"]) EXPECT_TRUE(value.contains(name)) << name;
    for (const auto& [name, inner] : value.items())
      EXPECT_TRUE(rule["properties"].contains(name)) << name;
  };
  expect_fits(report, schema);
  expect_fits(report["alike"], schema["properties"]["alike"]);
  EXPECT_EQ(report["drivers"][0], Json::parse(report_json(all.drivers[0])));
  EXPECT_EQ(report["exit_status"], 1);
  EXPECT_TRUE(Json::parse(report_json(all_of({certificate("memory")}, {})))["alike"].is_null());
}

TEST(AllJunit, HasASuiteADriverAndOneForAll) {
  const std::string xml =
      junit_xml(all_of({certificate("memory"), certificate("redis")}, alike(Verdict::fail)));
  for (const std::string name : {"memory", "redis", "all"})
    EXPECT_TRUE(has(xml, "<testsuite name=\"assay " + name + "\"")) << xml;
  EXPECT_TRUE(has(xml, "<testcase classname=\"assay.all.META\" name=\"META-1\">\n      <failure"))
      << xml;
  EXPECT_TRUE(has(xml, "failures=\"1\"")) << xml;
}

}  // namespace
}  // namespace assay
