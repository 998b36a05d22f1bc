// A driver behind the protocol, certified as people do it.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "harness/remote/connectable.h"
#include "harness/remote/process.h"
#include "tests/cli/program.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay {
namespace {

class CertifyRemote : public ::testing::Test {
 protected:
  tests::Ended assay(const std::vector<std::string>& words) const {
    return tests::run_assay(words, {.folder = folder_.path()});
  }

  lite_test::TempFolder folder_;
};

const std::string program = ASSAY_BINARY;

TEST_F(CertifyRemote, TakesTheProfileFromItsHello) {
  const auto ended = assay({"certify", "exec:" + program + " serve memory --profile weave",
                            "--seed", "1", "--cases", "5", "--rules", "LEASE-*"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("under weave at level contract"), std::string::npos) << ended.out;
}

TEST_F(CertifyRemote, JudgesByAnotherProfileWhereOneIsNamed) {
  const auto ended =
      assay({"certify", "exec:" + program + " serve memory --profile upnext", "--profile",
             "reference", "--seed", "1", "--cases", "5", "--rules", "IDEMP-*"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
}

TEST_F(CertifyRemote, ReplaysUnderTheProfileThatWasNamed) {
  const auto ended =
      assay({"certify", "exec:" + program + " serve memory --profile upnext", "--profile",
             "reference", "--seed", "1", "--cases", "5", "--rules", "IDEMP-*"});
  const auto words = split_words(tests::last_line(ended.out));
  ASSERT_TRUE(words.ok() && words->size() == 3) << ended.out;
  const auto again = assay({"replay", words->at(2)});
  EXPECT_EQ(again.status, 1) << again.out << again.err;
  EXPECT_EQ(tests::last_line(again.out).substr(0, 6), "MATCH:") << again.out;
}

TEST_F(CertifyRemote, GivesATokenThatReplays) {
  const auto ended = assay({"certify", "exec:" + program, "--seed", "1", "--cases", "5", "--rules",
                            "FENCE-2", "--", "serve", "mutant:ack_takes_stale_token"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
  const auto words = split_words(tests::last_line(ended.out));
  ASSERT_TRUE(words.ok() && words->size() == 3) << ended.out;
  EXPECT_EQ(words->at(1), "replay");
  const auto again = assay({"replay", words->at(2)});
  EXPECT_EQ(again.status, 1) << again.out << again.err;
  EXPECT_EQ(tests::last_line(again.out).substr(0, 6), "MATCH:") << again.out;
}

TEST_F(CertifyRemote, HandsItsSurroundingsOn) {
  const std::string script =
      "test \"$PWD\" = / && test \"$WORD\" = 'a b' && exec " + program + " serve sqlite";
  const auto ended =
      assay({"certify", "exec:" + join_words({"sh", "-c", script}), "--driver-cwd", "/",
             "--driver-env", "WORD=a b", "--driver-url", folder_.path() + "/queue.db", "--rules",
             "ACK-1", "--cases", "2", "--seed", "1"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/queue.db"));
}

TEST_F(CertifyRemote, WritesTheOptionsBehindTheTokenThatAReplayNeeds) {
  const auto ended = assay({"certify", "exec:" + program + " serve mutant:ack_takes_stale_token",
                            "--driver-env", "A=b c", "--rules", "FENCE-2", "--cases", "0"});
  EXPECT_NE(tests::last_line(ended.out).find(" --driver-env 'A=b c'"), std::string::npos)
      << ended.out;
}

TEST_F(CertifyRemote, ReachesADriverThatListens) {
  const auto server =
      Process::start({{program, "serve", "memory", "--listen", "127.0.0.1:0"}, {}, {}});
  ASSERT_TRUE(server.ok());
  std::string said;
  for (int tries = 0; tries < 3000 && !said.ends_with('\n'); ++tries) {
    char bytes[200];
    const ssize_t size = ::read((*server)->log(), bytes, sizeof bytes);
    if (size > 0) said.append(bytes, static_cast<std::size_t>(size));
    if (size <= 0) ::poll(nullptr, 0, 10);
  }
  ASSERT_EQ(said.substr(0, 13), "listening on ") << said;
  const std::string address = said.substr(13, said.size() - 14);
  const auto ended = assay({"certify", "tcp:" + address, "--seed", "1", "--cases", "20", "--jobs",
                            "3", "--rules", "FENCE-*"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  ::kill((*server)->pid(), SIGTERM);
  EXPECT_EQ((*server)->ending(30), "ended with status 0");
}

TEST_F(CertifyRemote, HostsEveryKindOfDriverThatIsBuiltIn) {
  for (const char* name : {"memory", "sqlite"}) {
    const auto ended =
        assay({"certify", name, "--hosted", "--seed", "1", "--cases", "3", "--rules", "DLQ-*"});
    EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
    EXPECT_NE(ended.out.find(std::string("CERTIFIED: hosted:") + name), std::string::npos);
  }
  const auto ended = assay({"certify", "mutant:sqlite_list_any_state", "--hosted", "--cases", "3",
                            "--rules", "ADMIN-2"});
  EXPECT_EQ(ended.status, 1) << ended.out << ended.err;
}

TEST_F(CertifyRemote, ClaimsNoSharedStorageForPrivateStores) {
  const auto ended = assay({"certify", "exec:" + program + " serve sqlite", "--seed", "1",
                            "--cases", "2", "--rules", "ACK-*"});
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
}

TEST_F(CertifyRemote, SaysWhatIsWrongInOneSentence) {
  const std::vector<std::vector<std::string>> wrong{
      {"certify", "exec:"},
      {"certify", "exec:'x"},
      {"certify", "tcp:nowhere"},
      {"certify", "exec:true", "--hosted"},
      {"certify", "memory", "--driver-env", "A=b"},
      {"certify", "memory", "--driver-cwd", "/"},
      {"certify", "memory", "--", "more"},
      {"certify", "tcp:127.0.0.1:1", "--driver-cwd", "/"},
      {"certify", "exec:true", "--driver-env", "=b"},
      {"certify", "exec:true", "--driver-timeout", "soon"},
      {"certify", "hosted:nothing"},
      {"serve"},
      {"serve", "exec:true"},
      {"serve", "memory", "--listen", "7000"},
      {"serve", "memory", "--profile", "nothing"}};
  for (const auto& words : wrong) {
    const auto ended = assay(words);
    EXPECT_EQ(ended.status, 64) << join_words(words) << "\n" << ended.out;
    EXPECT_TRUE(tests::is_one_line(ended.err)) << join_words(words) << "\n" << ended.err;
  }
}

TEST_F(CertifyRemote, ShowsWhatAProgramSaidThatIsNoDriver) {
  const auto ended = assay({"certify", "exec:echo hello", "--quiet"});
  EXPECT_EQ(ended.status, 2) << ended.out;
  EXPECT_NE(ended.out.find("the line: hello"), std::string::npos) << ended.out;
}

}  // namespace
}  // namespace assay
