#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "faults/all.h"
#include "harness/contract/rules.h"
#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

using ListTest = tests::CliTest;
using Json = nlohmann::json;

const std::vector<std::string> kinds{"rules",     "profiles", "drivers", "mutants",
                                     "scenarios", "faults",   "knobs"};

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

TEST_F(ListTest, FaultsSayWhatIsMissingHere) {
  const Json list = Json::parse(assay({"list", "faults", "--json"}).out);
  const std::string table = assay({"list", "faults"}).out;
  std::set<std::string> may_be_missing;
  for (const FaultInfo& fault : all_faults()) {
    const auto entry =
        std::ranges::find_if(list, [&](const Json& one) { return one["name"] == fault.name; });
    ASSERT_NE(entry, list.end()) << fault.name;
    const auto missing = fault.why_not_here ? fault.why_not_here() : std::nullopt;
    if (fault.why_not_here) may_be_missing.emplace(fault.name);
    EXPECT_EQ((*entry)["why_not_here"], missing ? Json(*missing) : Json()) << fault.name;
    if (missing) {
      EXPECT_NE(table.find(std::string(fault.name) + " is not to be had here: it " + *missing),
                std::string::npos)
          << table;
    }
  }
  EXPECT_EQ(may_be_missing, (std::set<std::string>{"full_disk", "lose_power"}));
}

TEST_F(ListTest, FaultsSayWhatMakesThoseOfTheNetwork) {
  environment_.extra["ASSAY_TOXIPROXY_URL"] = "http://127.0.0.1:8474";
  const std::string table = assay({"list", "faults"}).out;
  EXPECT_NE(table.find("faults of the network are made by http://127.0.0.1:8474, which"),
            std::string::npos)
      << table;
}

TEST_F(ListTest, FaultsSayThatTheyNeedRootToWhoIsNot) {
  if (::geteuid() != 0 || std::system("command -v setpriv >/dev/null") != 0)
    GTEST_SKIP() << "only root can become somebody else";
  const std::string program = "setpriv --reuid=65534 --clear-groups " ASSAY_BINARY;
  if (std::system((program + " --version >/dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << "nobody else can run " << ASSAY_BINARY;
  EXPECT_EQ(std::system((program + " list faults | grep -q 'lose_power is not to be had here: it "
                                   "needs root'")
                            .c_str()),
            0);
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
