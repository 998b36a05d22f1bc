// What a run writes down before it does it, and what is made of that when it was killed.
#include "harness/fault/journal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "harness/fault/leftovers.h"
#include "harness/remote/process.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Journals : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "journal_test.XXXXXX").string();
    ASSERT_TRUE(mkdtemp(name.data()));
    parent_ = name;
  }
  void TearDown() override { fs::remove_all(parent_); }

  std::string folder_of(pid_t pid) {
    const fs::path folder = parent_ / ("assay-" + std::to_string(pid) + "-abcdef");
    fs::create_directory(folder);
    return folder.string();
  }

  // A process that is gone.
  static pid_t nobody() {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
    return pid;
  }

  static Result<std::string> refused(const Remedy&) { return unsupported("nobody can do that"); }

  fs::path parent_;
};

const Remedy remedy{"remove_proxy", {{"url", "http://127.0.0.1:1"}, {"proxy", "p"}}};

TEST_F(Journals, OweWhatWasPromisedAndNotKeptTheLastFirst) {
  const std::string folder = folder_of(1);
  auto journal = Journal::open(folder);
  ASSERT_TRUE(journal.ok());
  const auto fault = journal->begins("crash_store"), other = journal->begins("partition");
  const auto kept = journal->promise(remedy);
  Remedy second = remedy, third = remedy;
  second.fields["proxy"] = "second";
  third.fields["proxy"] = "third";
  ASSERT_TRUE(journal->promise(second).ok());
  ASSERT_TRUE(journal->promise(third).ok());
  ASSERT_TRUE(journal->done(*fault).ok());
  ASSERT_TRUE(journal->done(*kept).ok());
  const Debts debts = Journal::debts(folder);
  EXPECT_EQ(debts.faults, std::vector<std::string>{"partition"});
  EXPECT_EQ(debts.remedies, (std::vector<Remedy>{third, second}));
  ASSERT_TRUE(other.ok());
}

TEST_F(Journals, AreReadUpToALineThatWasCutOff) {
  const std::string folder = folder_of(1);
  ASSERT_TRUE(Journal::open(folder)->promise(remedy).ok());
  std::ofstream(folder + "/journal", std::ios::app) << "{\"done\":";
  EXPECT_EQ(Journal::debts(folder).remedies.size(), 1u);
  std::ofstream(folder + "/journal", std::ios::app) << "\n[]\n{\"promised\": true}\n\xff\n";
  EXPECT_EQ(Journal::debts(folder).remedies.size(), 1u);
  EXPECT_TRUE(Journal::debts(parent_.string()).remedies.empty());
}

TEST_F(Journals, OfDeadRunsAreCarriedOutAndTheirFoldersRemoved) {
  const std::string folder = folder_of(nobody());
  auto journal = Journal::open(folder);
  ASSERT_TRUE(journal->begins("partition of client 2").ok());
  ASSERT_TRUE(journal->promise(remedy).ok());
  std::vector<Remedy> carried;
  const auto healed = heal(parent_, [&](const Remedy& one) -> Result<std::string> {
    carried.push_back(one);
    return std::string("done");
  });
  ASSERT_EQ(healed.size(), 1u);
  EXPECT_EQ(healed[0].faults, std::vector<std::string>{"partition of client 2"});
  EXPECT_EQ(healed[0].done, std::vector<std::string>{"done"});
  EXPECT_EQ(carried, std::vector<Remedy>{remedy});
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(Journals, StayWhereARemedyFailsSoThatItIsTriedAgain) {
  const std::string folder = folder_of(nobody());
  ASSERT_TRUE(Journal::open(folder)->promise(remedy).ok());
  const auto healed = heal(parent_, refused);
  ASSERT_EQ(healed.size(), 1u);
  EXPECT_EQ(healed[0].failed, std::vector<std::string>{"nobody can do that"});
  EXPECT_TRUE(fs::exists(folder));
}

TEST_F(Journals, OfRunsThatAreAliveAreLeftAlone) {
  const std::string folder = folder_of(getpid());
  ASSERT_TRUE(sign(folder).ok());
  ASSERT_TRUE(Journal::open(folder)->promise(remedy).ok());
  EXPECT_TRUE(heal(parent_, refused).empty());
  EXPECT_TRUE(fs::exists(folder));
  // Another process that has our number now.
  std::ofstream(folder + "/owner") << "1\n";
  EXPECT_EQ(heal(parent_, refused).size(), 1u);
}

TEST_F(Journals, TellNothingOfFoldersThatAreNoRuns) {
  for (const char* name : {"assay-", "assay-x-abcdef", "assay-0-abcdef", "other", "assay-12-abc"})
    fs::create_directory(parent_ / name);
  std::ofstream(parent_ / "assay-1-abcdef") << "a file";
  EXPECT_TRUE(heal(parent_, refused).empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(parent_), fs::directory_iterator()), 6);
}

TEST_F(Journals, LeadToProcessesThatOutlivedTheirRun) {
  const std::string folder = folder_of(nobody());
  Command command{{"sleep", "1000"}, {{run_variable, folder}}, std::nullopt};
  auto marked = Process::start(command);
  command.environment = {{run_variable, folder + "x"}};
  auto other = Process::start(command);
  ASSERT_TRUE(marked.ok() && other.ok());
  ::kill((*marked)->pid(), SIGSTOP);
  const auto healed = heal(parent_, refused);
  ASSERT_EQ(healed.size(), 1u);
  ASSERT_EQ(healed[0].done.size(), 1u);
  EXPECT_NE(healed[0].done[0].find("killed"), std::string::npos);
  EXPECT_EQ((*marked)->ending(10), "was killed by signal 9");
  EXPECT_EQ((*other)->ending(), std::nullopt);
}

}  // namespace
}  // namespace assay
