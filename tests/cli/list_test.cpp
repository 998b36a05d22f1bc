#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/contract/rules.h"
#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

using ListTest = tests::CliTest;
using Json = nlohmann::json;

const std::vector<std::string> kinds{"rules",   "profiles",  "drivers",
                                     "mutants", "scenarios", "knobs"};

TEST_F(ListTest, FitsAHundredColumns) {
  for (const std::string& kind : kinds) {
    const tests::Ended ended = assay({"list", kind});
    EXPECT_EQ(ended.status, 0);
    std::istringstream lines(ended.out);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100u) << line;
    EXPECT_GT(count, 2u) << kind;
  }
}

TEST_F(ListTest, IsJsonWhereAskedTo) {
  for (const std::string& kind : kinds) {
    const Json list = Json::parse(assay({"list", kind, "--json"}).out);
    ASSERT_TRUE(list.is_array()) << kind;
    EXPECT_GT(list.size(), 1u) << kind;
  }
}

TEST_F(ListTest, RulesCarryEveryColumn) {
  const Json list = Json::parse(assay({"list", "rules", "--json"}).out);
  ASSERT_EQ(list.size(), rules().size());
  for (const char* column : {"id", "promise", "strength", "kind", "layers", "seeds", "level",
                             "certifies", "needs", "trigger", "judged", "mutants"})
    EXPECT_TRUE(list[0].contains(column)) << column;
}

TEST_F(ListTest, MutantsNameTheRulesThatConvictThem) {
  for (const Json& mutant : Json::parse(assay({"list", "mutants", "--json"}).out)) {
    EXPECT_TRUE(mutant["name"].is_string() && mutant["subject"].is_string());
    EXPECT_TRUE(mutant["summary"].is_string() && mutant["racy"].is_boolean());
    ASSERT_FALSE(mutant["rules"].empty()) << mutant;
    for (const Json& rule : mutant["rules"])
      EXPECT_NE(find_rule(rule.get<std::string>()), nullptr) << rule;
  }
}

TEST_F(ListTest, ExplainKnowsWhateverIsListed) {
  const std::pair<std::string, std::string> prefixes[] = {{"profiles", "profile:"},
                                                          {"mutants", "mutant:"},
                                                          {"scenarios", "scenario:"},
                                                          {"knobs", "knob:"}};
  for (const auto& [kind, prefix] : prefixes) {
    const Json list = Json::parse(assay({"list", kind, "--json"}).out);
    const Json& first = list[0];
    const std::string name = first.contains("name") ? first["name"] : Json("reference");
    const tests::Ended ended = assay({"explain", prefix + name});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.out.find(name), std::string::npos) << ended.out;
  }
}

TEST_F(ListTest, ExplainTellsOfARuleWhatTheTableKnows) {
  const std::string out = assay({"explain", "fence-2"}).out;
  const Rule& rule = *find_rule("FENCE-2");
  for (const std::string_view part :
       {rule.id, rule.promise, rule.trigger, std::string_view("reference, taskharbor")})
    EXPECT_NE(out.find(part), std::string::npos) << part;
}

TEST_F(ListTest, ExplainKnowsTheVerdicts) {
  for (const char* verdict :
       {"PASS", "FAIL", "ERROR", "INCONCLUSIVE", "VACUOUS", "N/A", "MISSING", "WAIVED"})
    EXPECT_EQ(assay({"explain", verdict}).status, 0) << verdict;
}

TEST_F(ListTest, PrintedPagesAreTheOnesInTheDocs) {
  const std::pair<std::string, std::string> pages[] = {
      {"contract", "docs/contract.md"},
      {"history-schema", "docs/history.schema.json"},
      {"protocol", "docs/protocol.md"},
      {"protocol-schema", "docs/protocol.schema.json"}};
  for (const auto& [page, file] : pages) {
    std::ostringstream stored;
    stored << std::ifstream(ASSAY_SOURCE_DIR "/" + file).rdbuf();
    EXPECT_EQ(assay({"print", page}).out, stored.str())
        << "print it again: assay print " << page << " > " << file;
  }
}

}  // namespace
}  // namespace assay::cli
