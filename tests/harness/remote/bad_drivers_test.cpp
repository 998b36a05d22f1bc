// Drivers that break: each gets a verdict, the run goes on, and nothing is left running.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "harness/contract/text_of.h"
#include "harness/remote/connectable.h"
#include "harness/remote/process.h"
#include "tests/cli/program.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Every process that has `mark` in its environment: ours, and whatever they started.
std::vector<std::string> alive(const std::string& mark) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos)
      continue;
    if (text_of(entry.path() / "environ").find(mark) == std::string::npos) continue;
    if (text_of(entry.path() / "stat").find(") Z ") != std::string::npos) continue;
    found.push_back(entry.path().filename().string() + " " + text_of(entry.path() / "cmdline"));
  }
  return found;
}

// They are killed, not asked: but even that takes a moment on a busy machine.
std::vector<std::string> left_running(const std::string& mark) {
  for (int tries = 0; tries < 500 && !alive(mark).empty(); ++tries) ::poll(nullptr, 0, 20);
  return alive(mark);
}

class BadDriver : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c 0 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
  }

  std::string command(const std::string& fault) const {
    return join_words({"python3", ASSAY_SOURCE_DIR "/tests/harness/remote/bad_driver.py", fault,
                       ASSAY_BINARY, folder_.path() + "/mark"});
  }

  std::string mark() const { return "ASSAY_TEST_MARK=" + folder_.path(); }

  // Patient, where nothing hangs: the machine may be busy with something else.
  tests::Ended certify(const std::string& driver, const std::string& timeout = "60s") const {
    std::vector<std::string> words{"certify",
                                   driver,
                                   "--rules",
                                   "ACK-*",
                                   "--seed",
                                   "1",
                                   "--cases",
                                   "2",
                                   "--out",
                                   folder_.path() + "/out",
                                   "--driver-timeout",
                                   timeout};
    if (driver.starts_with("exec:")) words.insert(words.end(), {"--driver-env", mark()});
    return tests::run_assay(words, {.folder = folder_.path()});
  }

  lite_test::TempFolder folder_;
};

struct Fault {
  const char* name;
  const char* told;  // in the report
  bool once;         // the first process only: the rest of the run is as good as any
  bool silent = false;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class Breaks : public BadDriver, public ::testing::WithParamInterface<Fault> {};

TEST_P(Breaks, GetsAVerdictAndLeavesNothingRunning) {
  const Fault& fault = GetParam();
  const auto ended = certify("exec:" + command(fault.name), fault.silent ? "5s" : "60s");
  EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("ERROR"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find(fault.told), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("NOT CERTIFIED"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("no rule was tested"), std::string::npos) << ended.out;
  if (fault.once) {
    EXPECT_NE(ended.out.find("2 generated plans"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("PASS"), std::string::npos) << ended.out;
  }
  EXPECT_EQ(left_running(mark()), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(
    Drivers, Breaks,
    ::testing::Values(
        Fault{"exits_at_start", "ended with status 3; its log ends: ModuleNotFoundError", false},
        Fault{"is_silent_from_the_start", "no answer within 5 s", false, true},
        Fault{"speaks_another_protocol", "ok.protocol: is 2, and this program speaks 1", false},
        Fault{"claims_the_impossible", "clock is sundial, which is none of", false},
        Fault{"claims_nothing", "ok.profile: is missing", false},
        Fault{"claims_something_else_later",
              "ok.profile: is another one than the driver claimed before", false},
        Fault{"exits_in_the_middle", "ended with status 7; its log ends: KeyError: 'lease'", true},
        Fault{"kills_itself", "was killed by signal 9", true},
        Fault{"never_answers", "no answer within 5 s", true, true},
        Fault{"answers_garbage", "not one JSON object in UTF-8 (at byte 1); the line: \\x00\\xff{]",
              true},
        Fault{"answers_an_empty_line", "driver protocol error: an empty line", true},
        Fault{"stops_its_guard", "no answer within 5 s", true, true},
        Fault{"answers_half_a_line", "no answer within 5 s", true, true},
        Fault{"ends_within_a_line", "in the middle of a line; the line: {\"id\":40,", true},
        Fault{"answers_a_huge_line", "a line is longer than 16 MiB", true},
        Fault{"answers_another_request", "there was no request 1040", true},
        Fault{"answers_an_earlier_request", "it answered request 39 again", true},
        Fault{"answers_twice", "it answered request 40 again", true},
        Fault{"answers_with_the_wrong_fields", "ok: must be an object, is array", true},
        Fault{"logs_to_stdout", "the line: INFO: a request came in", true},
        Fault{"talks_to_stderr_without_end", "WARNING: the queue is rather full", true, true},
        Fault{"ignores_the_end_of_its_input", "it did not end within 5 s of the end of its input",
              false}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(BadDriver, ThatForksChildrenLeavesNoneBehind) {
  const auto ended = certify("exec:" + command("forks_children"));
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  EXPECT_EQ(left_running(mark()), std::vector<std::string>{});
}

TEST_F(BadDriver, ThatLogsALotIsKeptShort) {
  const auto ended = certify("exec:" + command("fills_stderr_and_answers"));
  EXPECT_EQ(ended.status, 0) << ended.out << ended.err;
  std::uintmax_t kept = 0;
  for (const auto& log : fs::directory_iterator(folder_.path() + "/out/logs"))
    kept += fs::file_size(log);
  EXPECT_GT(kept, 0u);
  EXPECT_LE(kept, 8u << 20);
}

TEST_F(BadDriver, ThatClosesItsSocketWithinAnAnswerGetsAVerdict) {
  auto words = split_words(command("closes_the_socket_within_an_answer"));
  words->push_back("--listen");
  const auto server = Process::start({*words, {}, {}});
  ASSERT_TRUE(server.ok());
  const std::string port = folder_.path() + "/mark.port";
  for (int tries = 0; tries < 1500 && !fs::exists(port); ++tries) ::poll(nullptr, 0, 20);
  const auto ended = certify("tcp:127.0.0.1:" + text_of(port));
  EXPECT_EQ(ended.status, 2) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("the driver closed the connection in the middle of a line"),
            std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("2 generated plans"), std::string::npos) << ended.out;
}

TEST_F(BadDriver, EndsWithUsWhenWeAreKilled) {
  const pid_t us = ::fork();
  if (us == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) ::dup2(null, stream);
    const std::string driver = "exec:" + command("never_answers"), out = folder_.path() + "/out";
    ::execl(ASSAY_BINARY, "assay", "certify", driver.c_str(), "--out", out.c_str(),
            "--driver-timeout", "100s", "--driver-env", mark().c_str(), nullptr);
    ::_exit(127);
  }
  // It hangs now, in the middle of a case, with the driver and what that started.
  for (int tries = 0; tries < 1500 && !fs::exists(folder_.path() + "/mark"); ++tries)
    ::poll(nullptr, 0, 20);
  EXPECT_GE(alive(mark()).size(), 2u);
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  EXPECT_EQ(left_running(mark()), std::vector<std::string>{});
}

TEST_F(BadDriver, ThatIsNotThereIsSaidToBeSo) {
  const auto ended = certify("exec:no-such-program --fast");
  EXPECT_EQ(ended.status, 2) << ended.out;
  EXPECT_NE(ended.out.find("cannot start no-such-program: No such file or directory"),
            std::string::npos)
      << ended.out;
  const auto refused = certify("tcp:127.0.0.1:1");
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_NE(refused.out.find("cannot reach the driver at 127.0.0.1:1: Connection refused"),
            std::string::npos)
      << refused.out;
}

}  // namespace
}  // namespace assay
