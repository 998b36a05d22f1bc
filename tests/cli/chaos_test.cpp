// `assay chaos`: clients that work while things go wrong, and `assay heal`: what is left of a run
// that was killed in the middle of that.
#include <signal.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/remote/process.h"
#include "tests/cli/cli_test.h"
#include "tests/cli/processes.h"

namespace assay::tests {
namespace {

using Json = nlohmann::json;

class ChaosCommand : public CliTest {
 protected:
  static bool has_redis() { return std::system("command -v redis-server >/dev/null") == 0; }

  // Processes of runs in this test's folder, with their command lines.
  std::map<pid_t, std::string> marked() const { return with("ASSAY_RUN=" + home_.string()); }

  // And those that have this in their environment.
  std::map<pid_t, std::string> with(const std::string& variable) const {
    std::map<pid_t, std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const pid_t pid = std::atoi(entry.path().filename().c_str());
      std::error_code gone;
      const auto cwd = std::filesystem::read_symlink(entry.path() / "cwd", gone).string();
      const bool is_marked = text_of(entry.path() / "environ").find(variable) != std::string::npos;
      if (pid > 0 && (is_marked || cwd.starts_with((home_ / "tmp").string())))
        found[pid] = text_of(entry.path() / "cmdline");
    }
    return found;
  }
};

TEST_F(ChaosCommand, TellsWhatWentWrongAndThatEveryJobIsAccountedFor) {
  const Ended ended = assay({"chaos", "memory", "--clients", "6", "--for", "2s", "--seed", "5"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  for (const char* part : {"assay 0", "chaos memory", "seed     5", "6 clients",
                           "each round some of", "proven", "every job is accounted for"})
    EXPECT_NE(ended.out.find(part), std::string::npos) << part << "\n" << ended.out;
  EXPECT_TRUE(scratch_is_empty());
}

TEST_F(ChaosCommand, TakesFaultsByNameFamilyOrHowTheyBegin) {
  const Ended ended = assay({"chaos", "memory", "--faults", "kill,clock", "--clients", "4", "--for",
                             "1s", "--seed", "5", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const Json json = Json::parse(ended.out);
  EXPECT_EQ(json["drawn_from"], (Json{"kill_worker", "skew_clock"}));
  EXPECT_GT(json["rounds"], 0);
  EXPECT_EQ(json["faults"].size(), 2u);
}

TEST_F(ChaosCommand, ConvictsAQueueWhoseJobsDieWithTheirWorker) {
  const Ended ended = assay({"chaos", "mutant:job_dies_with_its_worker", "--faults", "kill",
                             "--clients", "4", "--for", "20s", "--seed", "5"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  // Which rule it breaks first depends on who is faster: DUR-7, or that a claim finds what is
  // there.
  EXPECT_NE(ended.out.find("\nFAIL "), std::string::npos) << ended.out;
  EXPECT_NE(last_line(ended.out).find("replay assay1-"), std::string::npos) << ended.out;
}

TEST_F(ChaosCommand, WritesATokenOfEachRound) {
  const Ended ended =
      assay({"chaos", "memory", "--clients", "4", "--for", "1s", "--seed", "5", "--json"});
  const Json json = Json::parse(ended.out);
  std::ifstream tokens(home_ / json["files"].get<std::string>() / "tokens.txt");
  std::size_t lines = 0;
  for (std::string line; std::getline(tokens, line);) ++lines;
  EXPECT_EQ(lines, json["rounds"].get<std::size_t>());
}

TEST_F(ChaosCommand, KillsAndCutsOffClientsOfARealStore) {
  if (!has_redis()) GTEST_SKIP() << "no redis-server here";
  const Ended ended = assay({"chaos", "redis", "--faults", "kill,partition", "--clients", "6",
                             "--for", "2s", "--seed", "1", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.out << ended.err;
  const Json report = Json::parse(ended.out);
  // The first round of that seed has both. Whoever is cut off may have nothing to say just then:
  // that it is proven otherwise is for the tests of the fault.
  std::map<std::string, int> begun, proven;
  for (const Json& fault : report["faults"]) {
    begun[fault["fault"]] = fault["begun"];
    proven[fault["fault"]] = fault["proven"];
  }
  EXPECT_GT(proven["kill_worker"], 0) << ended.out;
  EXPECT_GT(begun["partition"], 0) << ended.out;
  EXPECT_TRUE(marked().empty());
}

TEST_F(ChaosCommand, RefusesWhatMakesNoSense) {
  expect_usage({"chaos"}, "needs a driver");
  expect_usage({"chaos", "memory", "--faults", "kil_worker"}, "did you mean `kill_worker`");
  expect_usage({"chaos", "memory", "--clients", "1"}, "--clients");
  expect_usage({"chaos", "memory", "--for", "ever"}, "--for");
  const Ended nothing = assay({"chaos", "memory", "--faults", "partition", "--for", "1s"});
  EXPECT_EQ(nothing.status, 2) << nothing.out << nothing.err;
  EXPECT_NE(nothing.out.find("cannot befall this driver"), std::string::npos) << nothing.out;
  const Ended of_engine = assay({"chaos", "memory", "--faults", "wakeup", "--for", "1s"});
  EXPECT_EQ(of_engine.status, 2) << of_engine.out << of_engine.err;
  EXPECT_NE(of_engine.out.find("these are clients alone"), std::string::npos) << of_engine.out;
}

TEST_F(ChaosCommand, StopsWhenToldToAndLeavesNothing) {
  environment_.after = {"faults"};
  environment_.signal = SIGTERM;
  const Ended ended = assay({"chaos", "sqlite", "--clients", "4", "--for", "5m", "--seed", "5"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(scratch_is_empty());
  EXPECT_TRUE(marked().empty());
}

TEST_F(ChaosCommand, IsHealedAfterwardsWhereItWasKilledWithThoseWhoWouldHaveCleanedUp) {
  if (!has_redis()) GTEST_SKIP() << "no redis-server here";
  Command command{{ASSAY_BINARY, "chaos", "redis", "--faults", "pause_worker,partition",
                   "--clients", "4", "--for", "5m"},
                  {{"TMPDIR", (home_ / "tmp").string()}},
                  home_.string()};
  auto running = Process::start(command);
  ASSERT_TRUE(running.ok());
  const auto has_redis_server = [&] {
    const auto all = marked();
    return std::ranges::any_of(
        all, [](const auto& one) { return one.second.find("redis-server") != std::string::npos; });
  };
  const auto journal_speaks = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(home_ / "tmp"))
      if (text_of(entry.path() / "journal").find("begins") != std::string::npos) return true;
    return false;
  };
  ASSERT_TRUE(wait_until([&] { return has_redis_server() && journal_speaks(); }));
  // All at once, its wardens too; only the server is overlooked.
  for (const int signal : {SIGSTOP, SIGKILL})
    for (const auto& [pid, words] : with("TMPDIR=" + home_.string()))
      if (words.find("redis-server") == std::string::npos) ::kill(pid, signal);
  ASSERT_TRUE((*running)->ending(10));
  ASSERT_TRUE(has_redis_server());

  const Ended healed = assay({"heal"});
  EXPECT_EQ(healed.status, 0) << healed.out << healed.err;
  EXPECT_NE(healed.out.find("was killed"), std::string::npos) << healed.out;
  EXPECT_TRUE(wait_until([&] { return marked().empty(); }));
  EXPECT_TRUE(scratch_is_empty());
  EXPECT_EQ(assay({"heal"}).out.find("nothing to heal"), 0u);
}

}  // namespace
}  // namespace assay::tests
