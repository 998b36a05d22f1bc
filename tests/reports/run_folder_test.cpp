#include "reports/run_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/contract/random.h"
#include "harness/contract/version.h"
#include "reports/file.h"
#include "tests/reports/made_up_report.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    home_ = fs::temp_directory_path() /
            (std::string("run_folder_test.") + test->name() + "." + std::to_string(getpid()));
    fs::create_directories(home_);
  }
  void TearDown() override { fs::remove_all(home_); }

  RunFolderOptions options() const {
    RunFolderOptions options;
    options.driver = "mutant:x y";
    options.parent = (home_ / "runs").string();
    return options;
  }

  fs::path home_;
  VirtualClock clock_;
};

Plan named(std::string name) {
  Plan plan;
  plan.name = std::move(name);
  return plan;
}

Judgement convicting(std::string rule) {
  Judgement judgement;
  judgement.findings.push_back({std::move(rule), "story", {}});
  return judgement;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_F(RunFolderTest, IsNamedByTimeAndDriverAndLatestPointsToIt) {
  const auto first = RunFolder::open(options(), clock_);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ((*first)->path(), (home_ / "runs/20300101-000000-mutant-x-y").string());
  const auto second = RunFolder::open(options(), clock_);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->path(), (home_ / "runs/20300101-000000-mutant-x-y-2").string());
  EXPECT_EQ(fs::read_symlink(home_ / "runs/latest"), "20300101-000000-mutant-x-y-2");
}

TEST_F(RunFolderTest, HasTheTokenOnDiskBeforeTheCaseRuns) {
  const auto folder = RunFolder::open(options(), clock_);
  ASSERT_TRUE(folder.ok());
  (*folder)->case_begins(named("seed/1/1"), "assay1-abc");
  EXPECT_EQ(files::read_whole((*folder)->path() + "/tokens.txt").value(), "seed/1/1 assay1-abc\n");
}

TEST_F(RunFolderTest, KeepsHistoriesOfScenariosAndOfTheFirstConvictedCases) {
  const auto folder = RunFolder::open(options(), clock_);
  ASSERT_TRUE(folder.ok());
  const fs::path histories = fs::path((*folder)->path()) / "histories";
  (*folder)->case_ends(named("seed/1/0"), History{}, Judgement{});
  EXPECT_EQ(files_in(histories), 0u);
  (*folder)->case_ends(named("scenario/late_ack"), History{}, Judgement{});
  EXPECT_TRUE(fs::exists(histories / "scenario-late_ack.jsonl"));
  for (int i = 1; i <= 10; ++i)
    (*folder)->case_ends(named("seed/1/" + std::to_string(i)), History{}, convicting("FENCE-2"));
  EXPECT_EQ(files_in(histories), 4u);
  (*folder)->case_ends(named("seed/1/11"), History{}, convicting("LEASE-2"));
  EXPECT_EQ(files_in(histories), 5u);
}

TEST_F(RunFolderTest, KeepsEveryHistoryWhereAskedTo) {
  RunFolderOptions all = options();
  all.keep_histories = true;
  const auto folder = RunFolder::open(all, clock_);
  ASSERT_TRUE(folder.ok());
  (*folder)->case_ends(named("seed/1/0"), History{}, Judgement{});
  EXPECT_TRUE(fs::exists(fs::path((*folder)->path()) / "histories/seed-1-0.jsonl"));
}

TEST_F(RunFolderTest, StoresTheReportsAndSaysWhereEachHistoryIs) {
  const auto folder = RunFolder::open(options(), clock_);
  ASSERT_TRUE(folder.ok());
  Report report = tests::made_up_report();
  report.rules[2].history = History{};
  ASSERT_TRUE((*folder)->store(report).ok());
  EXPECT_EQ(report.rules[2].history_file, (*folder)->path() + "/histories/FENCE-2.jsonl");
  EXPECT_TRUE(fs::exists(report.rules[2].history_file));
  const auto text = files::read_whole((*folder)->path() + "/report.json");
  EXPECT_EQ(nlohmann::json::parse(text.value())["rules"][2]["history"],
            report.rules[2].history_file);
  EXPECT_TRUE(fs::exists((*folder)->path() + "/junit.xml"));
}

TEST_F(RunFolderTest, CertifiesNothingThatItCouldNotStore) {
  for (const char* blocked : {"report.json", "junit.xml", "histories/FENCE-2.jsonl"}) {
    const auto folder = RunFolder::open(options(), clock_);
    ASSERT_TRUE(folder.ok());
    const fs::path path = (*folder)->path();
    fs::create_directories(path / blocked / "in the way");
    Report report = tests::made_up_report();
    report.rules.resize(1);
    report.rules[0].id = "FENCE-2";
    report.rules[0].verdict = Verdict::pass;
    report.rules[0].history = History{};
    report.canary_convicted = true;
    report.partial = false;
    report.troubles.clear();
    report.driver_troubles.clear();
    report.exit_status = exit_status_of(report);
    ASSERT_EQ(report.exit_status, 0);
    report.certified = true;

    const Status stored = (*folder)->store(report);
    ASSERT_FALSE(stored.ok()) << blocked;
    EXPECT_EQ(report.troubles, std::vector<std::string>{stored.error().message});
    EXPECT_FALSE(report.certified);
    EXPECT_EQ(report.exit_status, 3);
    if (const auto text = files::read_whole(path / "report.json"); text.ok())
      EXPECT_EQ(nlohmann::json::parse(*text)["exit_status"], 3) << blocked;
    else
      EXPECT_FALSE(fs::exists(path / "junit.xml")) << "it would be the only word, and know nothing";
  }
}

TEST_F(RunFolderTest, WritesThePlanOfEachFailureForPeopleToEdit) {
  const auto folder = RunFolder::open(options(), clock_);
  ASSERT_TRUE(folder.ok());
  ReplayToken token;
  token.assay_version = version();
  token.driver = "memory";
  token.rule = "FENCE-2";
  token.plan = named("shrunk/1");
  token.plan->clients.push_back({"producer", Role::producer});
  Report report = tests::made_up_report();
  report.rules[2].token = encode(token);
  ASSERT_TRUE((*folder)->store(report).ok());
  EXPECT_EQ(report.rules[2].token, encode(token));
  const auto read = load_token((*folder)->path() + "/plans/FENCE-2.plan.json");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, token);
}

TEST_F(RunFolderTest, TurnsATokenThatIsTooLongIntoAPlanFile) {
  const auto folder = RunFolder::open(options(), clock_);
  ASSERT_TRUE(folder.ok());
  ReplayToken token;
  token.assay_version = version();
  token.driver = "memory";
  token.rule = "FENCE-2";
  token.history_hash = 0xfedcba9876543210;
  token.plan = named("shrunk/1");
  token.plan->clients.push_back({"producer", Role::producer});
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    Step step;
    step.kind = StepKind::enqueue;
    step.slot = i;
    step.queues = {"q" + random.hex(16)};
    step.type = random.hex(16);
    token.plan->steps.push_back(step);
  }
  Report report = tests::made_up_report();
  report.rules[2].token = encode(token);
  ASSERT_GT(report.rules[2].token.size(), token_max_length);
  ASSERT_TRUE((*folder)->store(report).ok());
  EXPECT_TRUE(report.rules[2].token.starts_with((*folder)->path() + "/plans/"));
  const auto read = load_token(report.rules[2].token);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, token);
}

TEST_F(RunFolderTest, IsEmptiedWhenNamedAgain) {
  RunFolderOptions named_folder = options();
  named_folder.out = (home_ / "mine").string() + "/";
  Report report = tests::made_up_report();
  {
    const auto folder = RunFolder::open(named_folder, clock_);
    ASSERT_TRUE(folder.ok());
    (*folder)->case_ends(named("scenario/a"), History{}, Judgement{});
    ASSERT_TRUE((*folder)->store(report).ok());
  }
  const auto again = RunFolder::open(named_folder, clock_);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->path(), (home_ / "mine").string());
  EXPECT_FALSE(fs::exists(home_ / "mine/report.json"));
  EXPECT_EQ(files_in(home_ / "mine/histories"), 0u);
  EXPECT_FALSE(fs::exists(home_ / "runs"));
}

TEST_F(RunFolderTest, LeavesFilesAloneThatAreNotARunS) {
  fs::create_directories(home_ / "mine");
  ASSERT_TRUE(files::write_whole(home_ / "mine/report.json", "precious").ok());
  RunFolderOptions named_folder = options();
  named_folder.out = (home_ / "mine").string();
  ASSERT_TRUE(RunFolder::open(named_folder, clock_).ok());
  EXPECT_EQ(files::read_whole(home_ / "mine/report.json").value(), "precious");
}

TEST_F(RunFolderTest, SaysInASentenceThatItCannotBeWritten) {
  ASSERT_TRUE(files::write_whole(home_ / "file", "").ok());
  RunFolderOptions impossible = options();
  impossible.out = (home_ / "file/sub").string();
  const auto folder = RunFolder::open(impossible, clock_);
  ASSERT_FALSE(folder.ok());
  EXPECT_NE(folder.error().message.find("cannot write the run folder"), std::string::npos);
}

}  // namespace
}  // namespace assay
