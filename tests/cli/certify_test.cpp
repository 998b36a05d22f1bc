#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/cli_test.h"

namespace assay::cli {
namespace {

using CertifyTest = tests::CliTest;
using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string canary = "mutant:canary";

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_F(CertifyTest, SaysWhatItsFilesSay) {
  const tests::Ended ended = assay({"certify", "memory", "--cases", "40", "--seed", "7"});
  const Json report = Json::parse(read(home_ / "runs/latest/report.json"));
  EXPECT_EQ(ended.status, report["exit_status"]) << ended.out << ended.err;
  const std::string closing = report["certified"] ? "CERTIFIED: memory" : "NOT CERTIFIED: memory";
  EXPECT_EQ(tests::last_line(ended.out).find(closing), 0u) << ended.out;
  EXPECT_EQ(report["seed"], 7);
  EXPECT_EQ(report["generated"], 40);
  EXPECT_TRUE(fs::exists(home_ / "runs/latest/junit.xml"));
  EXPECT_FALSE(fs::is_empty(home_ / "runs/latest/histories"));
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(CertifyTest, EndsAtTheFirstOfCasesAndBudget) {
  const tests::Ended few = assay({"certify", "memory", "--rules", "FENCE-2", "--cases", "3",
                                  "--budget", "1h", "--out", "few"});
  EXPECT_NE(few.out.find("options  at most 3 generated plans, budget"), std::string::npos)
      << few.out;
  EXPECT_EQ(Json::parse(read(home_ / "few/report.json"))["generated"], 3);
  assay({"certify", "memory", "--rules", "FENCE-2", "--cases", "1000000000", "--budget", "50ms",
         "--out", "short"});
  EXPECT_EQ(Json::parse(read(home_ / "short/report.json"))["partial"], false);
}

// The rule besides makes sense whatever is claimed before the driver is asked.
TEST_F(CertifyTest, SaysWhatDurabilityWasShownUnder) {
  const tests::Ended ended = assay({"certify", "sqlite", "--level", "durability", "--cases", "0",
                                    "--seed", "7", "--rules", "DUR-6", "--rules", "ERR-1"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  const Json durability = Json::parse(read(home_ / "runs/latest/report.json"))["durability"];
  EXPECT_EQ(durability["claimed"], "crash");
  EXPECT_EQ(durability["lost"], false);
  std::map<std::string, Json> outages;
  for (const Json& outage : durability["outages"]) outages[outage["fault"]] = outage;
  EXPECT_GT(outages["restart_store"]["times"], 0);
  EXPECT_GT(outages["crash_store"]["times"], 0);
  if (outages["lose_power"]["times"] == 0) {
    EXPECT_NE(ended.out.find("not shown under loss of power: a loss of power cannot be staged"),
              std::string::npos)
        << ended.out;
  } else {
    EXPECT_TRUE(outages["lose_power"]["why_none"].is_null());
    EXPECT_NE(ended.out.find("losses of power"), std::string::npos) << ended.out;
  }
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(CertifyTest, HasALineOfTokensForEachCase) {
  assay({"certify", "memory", "--rules", "FENCE-2", "--cases", "5", "--out", "mine"});
  const Json report = Json::parse(read(home_ / "mine/report.json"));
  const std::string tokens = read(home_ / "mine/tokens.txt");
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(tokens.begin(), tokens.end(), '\n')),
            report["scenarios"].get<std::uint64_t>() + 5);
  EXPECT_FALSE(fs::exists(home_ / "runs"));
}

TEST_F(CertifyTest, SaysTheSameForTheSameSeed) {
  std::vector<Json> reports;
  for (const char* folder : {"one", "two"}) {
    assay(
        {"certify", canary, "--rules", "FENCE-2", "--cases", "10", "--seed", "3", "--out", folder});
    reports.push_back(Json::parse(read(home_ / folder / "report.json")));
    reports.back().erase("seconds");
    for (Json& rule : reports.back()["rules"]) rule.erase("history");
  }
  EXPECT_EQ(reports[0], reports[1]);
}

TEST_F(CertifyTest, EndsAFailingRunWithTheCommandThatReplaysIt) {
  const tests::Ended ended =
      assay({"certify", canary, "--rules", "FENCE-2", "--cases", "10", "--seed", "3"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  const std::string line = tests::last_line(ended.out);
  const std::string prefix = "assay replay ";
  ASSERT_EQ(line.find(prefix), 0u) << line;
  EXPECT_EQ(ended.out.find('\x1b'), std::string::npos);

  const tests::Ended again = assay({"replay", line.substr(prefix.size()), "--out", "again.jsonl"});
  EXPECT_EQ(again.status, 1) << again.out << again.err;
  EXPECT_NE(again.out.find("\nMATCH: history "), std::string::npos) << again.out;
  EXPECT_NE(again.out.find("FAIL FENCE-2: "), std::string::npos);
  EXPECT_TRUE(fs::exists(home_ / "again.jsonl"));
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(CertifyTest, CallsAnAlteredTokenWhatItIs) {
  const tests::Ended ended =
      assay({"certify", canary, "--rules", "FENCE-2", "--cases", "10", "--seed", "3"});
  std::string token = tests::last_line(ended.out).substr(std::string("assay replay ").size());
  ASSERT_EQ(token.find("assay1-"), 0u);
  expect_usage({"replay", token.substr(0, token.size() / 2)}, "");
  token[token.size() / 2] = token[token.size() / 2] == 'A' ? 'B' : 'A';
  expect_usage({"replay", token}, "");
}

TEST_F(CertifyTest, PrintsItsReportAsJsonAlone) {
  const tests::Ended ended =
      assay({"certify", "memory", "--rules", "FENCE-2", "--cases", "5", "--json"});
  const Json report = Json::parse(ended.out);
  EXPECT_EQ(report["driver"], "memory");
  EXPECT_NE(ended.err.find("CERTIFIED"), std::string::npos);
}

TEST_F(CertifyTest, TestsOnlyTheSelectedRules) {
  const tests::Ended ended =
      assay({"certify", "--rules", "FENCE-1,FENCE-2", "memory", "--cases", "20", "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Json::parse(ended.out)["rules"].size(), 2u);
}

TEST_F(CertifyTest, ListsWithoutRunning) {
  const tests::Ended ended = assay({"certify", "memory", "--list", "--rules", "FENCE-*"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.out.find("FENCE-2"), std::string::npos);
  EXPECT_FALSE(fs::exists(home_ / "runs"));
}

TEST_F(CertifyTest, TakesAProfileFromAFile) {
  std::ofstream(home_ / "mine.json") << R"({"base": "reference", "order": "none"})";
  const tests::Ended ended =
      assay({"certify", "memory", "--profile", "mine.json", "--cases", "5", "--json"});
  EXPECT_EQ(Json::parse(ended.out)["claims"]["order"], "none");
  EXPECT_EQ(Json::parse(ended.out)["profile"], "reference, altered: order");
}

TEST_F(CertifyTest, RefusesAFieldOfAProfileThatMeansNothing) {
  std::ofstream(home_ / "mine.json") << R"({"ordr": "none"})";
  const tests::Ended ended = assay({"certify", "memory", "--profile", "mine.json"});
  EXPECT_EQ(ended.status, 64);
  EXPECT_NE(ended.err.find("did you mean `order`?"), std::string::npos) << ended.err;
}

TEST_F(CertifyTest, TellsWhichFaultsThereWereAndHowTheyShow) {
  const tests::Ended ended = assay({"certify", "memory", "--level", "chaos", "--rules", "DUR-7",
                                    "FENCE-1", "--cases", "16", "--seed", "1", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const auto report = nlohmann::json::parse(ended.out);
  ASSERT_FALSE(report["faults"].empty());
  for (const auto& fault : report["faults"]) {
    EXPECT_EQ(fault["proven"], fault["planned"]) << fault;
    EXPECT_NE(fault["proof"], "") << fault;
    EXPECT_EQ(fault["why_not"], "") << fault;
  }
}

// Each of its clients is a process that is really killed, stopped and started again.
TEST_F(CertifyTest, KillsTheProcessesOfADriverThatSharesItsStore) {
  const tests::Ended ended = assay({"certify", "sqlite", "--level", "durability", "--rules",
                                    "DUR-*", "--cases", "8", "--seed", "1", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const auto report = nlohmann::json::parse(ended.out);
  std::set<std::string> proofs;
  for (const auto& fault : report["faults"]) proofs.insert(fault["proof"]);
  EXPECT_TRUE(proofs.contains("its process was killed by signal 9"));
  EXPECT_TRUE(proofs.contains("its process is stopped"));
  EXPECT_TRUE(proofs.contains("every process that had the store open was killed by signal 9"));
  for (const auto& rule : report["rules"]) EXPECT_EQ(rule["verdict"], "PASS") << rule;
}

TEST_F(CertifyTest, SaysNothingOfARunWhoseFaultCannotBeMade) {
  std::ofstream(home_ / "plan.json")
      << R"({"name":"p","clients":[{"name":"w"}],"steps":[)"
      << R"({"do":"begin_fault","fault":"kill_wroker","client":"w","slot":0}]})";
  const tests::Ended ended = assay({"run", "plan.json", "--driver", "memory"});
  EXPECT_NE(ended.status, 0);
  EXPECT_NE((ended.out + ended.err).find("there is no fault \"kill_wroker\""), std::string::npos)
      << ended.out << ended.err;
  EXPECT_EQ(ended.out.find("nothing is convicted"), std::string::npos) << ended.out;
}

TEST_F(CertifyTest, ConvictsADriverWhoseJobsDieWithTheirWorkers) {
  const tests::Ended ended = assay({"certify", "mutant:job_dies_with_its_worker", "--level",
                                    "chaos", "--rules", "DUR-7", "--cases", "0", "--seed", "1"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("by a worker that died"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("! kill_worker"), std::string::npos) << ended.out;
  // The last line is one to paste.
  const auto token = ended.out.find("replay assay1-");
  ASSERT_NE(token, std::string::npos);
  const std::string text = ended.out.substr(token + 7);
  const tests::Ended again = assay({"replay", text.substr(0, text.find('\n'))});
  EXPECT_EQ(again.status, 1) << again.out << again.err;
  EXPECT_NE(again.out.find("MATCH"), std::string::npos) << again.out;
}

TEST_F(CertifyTest, SaysBeforeAnythingThatItsFolderCannotBeWritten) {
  std::ofstream(home_ / "file") << "";
  const tests::Ended ended = assay({"certify", "memory", "--out", "file/sub"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(tests::is_one_line(ended.err)) << ended.err;
}

TEST_F(CertifyTest, CertifiesNothingWhereItsReportCannotBeWritten) {
  fs::create_directories(home_ / "mine/report.json/in the way");
  for (const std::string& driver : {std::string("memory"), canary}) {
    fs::remove(home_ / "mine/tokens.txt");
    const tests::Ended ended =
        assay({"certify", driver, "--rules", "FENCE-2", "--cases", "5", "--out", "mine"});
    EXPECT_EQ(ended.status, driver == canary ? 1 : 3) << ended.out << ended.err;
    EXPECT_NE(ended.err.find("cannot write mine/report.json"), std::string::npos) << ended.err;
    EXPECT_NE(ended.out.find("\ntrouble: cannot write mine/report.json"), std::string::npos);
    EXPECT_NE(ended.out.find("\nNOT CERTIFIED"), std::string::npos) << ended.out;
    EXPECT_EQ(ended.out.find("\nCERTIFIED"), std::string::npos) << ended.out;
    EXPECT_FALSE(fs::exists(home_ / "mine/junit.xml"));
  }
}

TEST_F(CertifyTest, KeepsAConvictionWhereNothingCanBePrinted) {
  environment_.out_file = "/dev/full";
  const std::vector<std::string> rest = {"--rules", "FENCE-2", "--cases", "5", "--out", "mine"};
  for (const auto& [driver, status] : {std::pair{std::string("memory"), 3}, {canary, 1}}) {
    std::vector<std::string> words = {"certify", driver};
    words.insert(words.end(), rest.begin(), rest.end());
    const tests::Ended ended = assay(words);
    EXPECT_EQ(ended.status, status) << ended.err;
    EXPECT_NE(ended.err.find("cannot write all of the output"), std::string::npos) << ended.err;
    EXPECT_TRUE(fs::exists(home_ / "mine/report.json"));
  }
}

TEST_F(CertifyTest, SaysThatThereIsNoRoomForScratch) {
  environment_.extra["TMPDIR"] = (home_ / "nowhere").string();
  const tests::Ended ended = assay({"certify", "memory", "--out", "mine"});
  EXPECT_EQ(ended.status, 3);
  EXPECT_NE(ended.err.find("TMPDIR"), std::string::npos);
}

TEST_F(CertifyTest, RemovesTheScratchOfDeadRunsAlone) {
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, nullptr, 0);
  const fs::path gone = home_ / "tmp" / ("assay-" + std::to_string(dead) + "-abcdef");
  const fs::path alive = home_ / "tmp" / ("assay-" + std::to_string(getpid()) + "-abcdef");
  const fs::path other = home_ / "tmp" / "assay-notes";
  for (const fs::path& folder : {gone, alive, other}) fs::create_directories(folder / "inside");
  assay({"certify", "memory", "--rules", "FENCE-2", "--cases", "1", "--out", "mine"});
  EXPECT_FALSE(fs::exists(gone));
  EXPECT_TRUE(fs::exists(alive));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(CertifyTest, StopsAtTheFirstInterruptWithAPartialReport) {
  environment_.after = {"testing"};
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    environment_.signal = signal;
    const tests::Ended ended = assay({"certify", "memory", "--budget", "10m", "--out", "mine"});
    EXPECT_EQ(ended.status, 2) << signal << ended.out << ended.err;
    EXPECT_NE(ended.err.find("stopping after the current case"), std::string::npos);
    EXPECT_EQ(Json::parse(read(home_ / "mine/report.json"))["partial"], true) << signal;
    EXPECT_TRUE(scratch_is_empty());
  }
}

TEST_F(CertifyTest, TakesSeveralSignalsOfAClosedTerminalForOne) {
  environment_.after = {"testing", "stopping", "stopping", "stopping"};
  environment_.signal = SIGHUP;
  const tests::Ended ended = assay({"certify", "memory", "--budget", "10m", "--out", "mine"});
  EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
  EXPECT_EQ(Json::parse(read(home_ / "mine/report.json"))["partial"], true);
}

TEST_F(CertifyTest, TakesTheTwoSignalsOfATimeoutForOne) {
  environment_.after = {"testing", "stopping"};
  environment_.signal = SIGTERM;
  const tests::Ended ended = assay({"certify", "memory", "--budget", "10m", "--out", "mine"});
  EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
  EXPECT_EQ(Json::parse(read(home_ / "mine/report.json"))["partial"], true);
}

TEST_F(CertifyTest, HearsNoClosedTerminalUnderNohup) {
  environment_.after = {"testing"};
  environment_.signal = SIGHUP;
  environment_.nohup = true;
  const tests::Ended ended = assay({"certify", "memory", "--cases", "300", "--out", "mine"});
  EXPECT_EQ(ended.err.find("stopping"), std::string::npos) << ended.err;
  EXPECT_EQ(Json::parse(read(home_ / "mine/report.json"))["partial"], false);
}

TEST_F(CertifyTest, HasColoursAndALiveLineOnATerminalAlone) {
  environment_.terminal = true;
  const tests::Ended coloured =
      assay({"certify", canary, "--rules", "FENCE-2", "--cases", "10", "--seed", "3"});
  EXPECT_NE(coloured.out.find("\x1b[31mFAIL\x1b[0m"), std::string::npos) << coloured.out;
  EXPECT_NE(coloured.out.find("\r\x1b[K"), std::string::npos);
  EXPECT_EQ(tests::last_line(coloured.out).find("assay replay "), 0u) << coloured.out;

  environment_.extra["NO_COLOR"] = "1";
  const tests::Ended plain =
      assay({"certify", canary, "--rules", "FENCE-2", "--cases", "10", "--seed", "3"});
  EXPECT_EQ(plain.out.find("\x1b[31m"), std::string::npos);
}

TEST_F(CertifyTest, SurvivesAReaderThatWentAway) {
  environment_.deaf = true;
  EXPECT_EQ(assay({"certify", canary, "--rules", "FENCE-2", "--cases", "10", "--seed", "3", "--out",
                   "mine"})
                .status,
            1);
  EXPECT_TRUE(fs::exists(home_ / "mine/report.json"));
  EXPECT_EQ(assay({"list", "rules"}).status, 0);
}

TEST_F(CertifyTest, RunsAPlanOfOnesOwn) {
  std::ofstream(home_ / "plan.json")
      << R"({"name": "mine", "clients": [{"name": "me"}], "steps": []})";
  const tests::Ended ended = assay({"run", "plan.json", "--driver", "memory"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("nothing is convicted"), std::string::npos);
}

TEST_F(CertifyTest, RunsTheStoredPlanOfAFailureOnAnotherDriver) {
  ASSERT_EQ(
      assay({"certify", canary, "--rules", "FENCE-2", "--cases", "0", "--out", "mine"}).status, 1);
  const std::string plan = "mine/plans/FENCE-2.plan.json";
  EXPECT_EQ(assay({"run", plan, "--driver", canary}).status, 1);
  EXPECT_EQ(assay({"run", plan, "--driver", "memory"}).status, 0);
}

TEST_F(CertifyTest, KillsClientsAtTheirRequestsAndHasThemLiveByWrongClocks) {
  if (std::system("command -v redis-server >/dev/null") != 0)
    GTEST_SKIP() << "no redis-server here";
  const tests::Ended ended = assay({"certify", "redis", "--level", "chaos", "--rules",
                                    "CLAIM-2,LEASE-5", "--cases", "0", "--seed", "3", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  std::map<std::string, Json> faults;
  const Json report = Json::parse(ended.out);
  for (const Json& fault : report["faults"]) faults[fault["fault"]] = fault;
  EXPECT_EQ(faults["kill_at_request"]["proven"], 9) << faults["kill_at_request"];
  EXPECT_EQ(faults["wrong_machine_clock"]["proven"], 2) << faults["wrong_machine_clock"];
  EXPECT_EQ(faults["half_open"]["proven"], 1) << faults["half_open"];
}

}  // namespace
}  // namespace assay::cli
