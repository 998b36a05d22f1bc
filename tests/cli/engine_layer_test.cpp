// certify --layer engine, as people type it.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

using EngineLayer = tests::CliTest;
using Json = nlohmann::json;

Json verdicts(const tests::Ended& ended) {
  const Json report = Json::parse(ended.out);
  Json by_rule;
  for (const Json& rule : report["rules"]) by_rule[rule["id"]] = rule["verdict"];
  return by_rule;
}

TEST_F(EngineLayer, GivesAVerdictOnEveryRuleOfAnEngineAndOnNoOther) {
  const auto ended =
      assay({"certify", "memory", "--layer", "engine", "--cases", "5", "--seed", "7", "--json"});
  EXPECT_NE(ended.status, 1) << ended.out << ended.err;
  const Json by_rule = verdicts(ended);
  EXPECT_EQ(by_rule["HB-6"], "PASS");
  EXPECT_EQ(by_rule["EXEC-1"], "PASS");
  EXPECT_FALSE(by_rule.contains("ACK-1"));
  EXPECT_EQ(Json::parse(ended.out)["engine"], "reference");
}

TEST_F(EngineLayer, RunsOnSqlite) {
  const auto ended =
      assay({"certify", "sqlite", "--layer", "engine", "--cases", "2", "--seed", "7", "--json"});
  const Json by_rule = verdicts(ended);
  EXPECT_EQ(by_rule["HB-6"], "PASS") << ended.err;
  EXPECT_EQ(by_rule["TIME-2"], "PASS");
}

TEST_F(EngineLayer, ConvictsAMutantAndReplaysWhatItDid) {
  const auto ended =
      assay({"certify", "memory", "--layer", "engine", "--engine", "mutant:no_heartbeats",
             "--cases", "0", "--rules", "HB-6", "--seed", "7", "--json"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  const Json report = Json::parse(ended.out);
  const Json& rule = report["rules"][0];
  EXPECT_EQ(rule["verdict"], "FAIL");
  const auto again = assay({"replay", rule["token"]});
  EXPECT_NE(again.out.find("MATCH"), std::string::npos) << again.out << again.err;
}

TEST_F(EngineLayer, LeavesAHistoryThatIsJudgedByTheRulesOfAnEngineToo) {
  const auto ended =
      assay({"certify", "memory", "--layer", "engine", "--engine", "mutant:no_heartbeats",
             "--cases", "0", "--rules", "HB-6", "--seed", "7", "--json"});
  const std::string history = Json::parse(ended.out)["rules"][0]["history"];
  const auto judged = assay({"judge", history, "--json"});
  EXPECT_EQ(judged.status, 1) << judged.out << judged.err;
  EXPECT_EQ(verdicts(judged)["HB-6"], "FAIL");
  EXPECT_TRUE(verdicts(judged).contains("ACK-1"));
  const auto one_rule = assay({"judge", history, "--rules", "HB-6"});
  EXPECT_EQ(one_rule.status, 1) << one_rule.out << one_rule.err;
}

TEST_F(EngineLayer, SaysWhatIsWrongInOneSentence) {
  const auto wrong = [&](std::vector<std::string> arguments) {
    const auto ended = assay(std::move(arguments));
    EXPECT_EQ(ended.status, 64) << ended.out << ended.err;
    return ended.err;
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(wrong({"certify", "memory", "--layer", "cake"}),
                  "--layer is driver or engine, not 'cake'"));
  EXPECT_TRUE(has(wrong({"certify", "memory", "--engine", "mutant:no_heartbeats"}),
                  "--engine needs --layer engine"));
  EXPECT_TRUE(has(wrong({"certify", "memory", "--layer", "engine", "--engine", "mutant:no_heart"}),
                  "mutant:no_heartbeats"));
  EXPECT_TRUE(has(wrong({"certify",
                         "exec:python3 '" ASSAY_SOURCE_DIR "/tests/fakes/fake_driver.py' clock_runs",
                         "--layer", "engine"}),
                  "no engine can be certified on it here"));
}

TEST_F(EngineLayer, ListsItsEngines) {
  const auto ended = assay({"list", "engines"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.out.find("mutant:no_heartbeats"), std::string::npos);
  EXPECT_NE(ended.out.find("HB-6"), std::string::npos);
}

}  // namespace
}  // namespace assay::cli
