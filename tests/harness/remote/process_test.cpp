#include "harness/contract/text_of.h"
#include "harness/remote/process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/drivers/sqlite_fixture.h"

namespace assay {
namespace {

constexpr double long_enough = 30;

std::unique_ptr<Process> started(Command command) {
  auto process = Process::start(command);
  EXPECT_TRUE(process.ok()) << process.error().message;
  return process.ok() ? std::move(*process) : nullptr;
}

Command shell(std::string script) { return {{"/bin/sh", "-c", std::move(script)}, {}, {}}; }

// All that comes until the stream ends.
std::string read_all(int stream) {
  std::string text;
  char bytes[1024];
  for (;;) {
    pollfd ready{stream, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(long_enough * 1000)) <= 0) return text + "(silence)";
    const ssize_t size = ::read(stream, bytes, sizeof bytes);
    if (size <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(size));
  }
}

std::string read_line(int stream) {
  std::string text;
  for (char c = 0; c != '\n';) {
    pollfd ready{stream, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(long_enough * 1000)) <= 0) return text + "(silence)";
    if (::read(stream, &c, 1) <= 0) return text;
    text += c;
  }
  return text;
}

// Killed, and no zombie of ours or of a warden's.
bool gone(pid_t pid) {
  for (int tries = 0; tries < 3000; ++tries) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
    ::poll(nullptr, 0, 10);
  }
  return false;
}

std::string proc_file(pid_t pid, const std::string& name) {
  return text_of("/proc/" + std::to_string(pid) + "/" + name);
}

pid_t warden_of(const Process& process) {
  const std::string text = proc_file(process.pid(), "stat");
  std::istringstream words(text.substr(text.rfind(") ") + 2));
  char state = 0;
  pid_t parent = -1;
  words >> state >> parent;
  return parent;
}

std::string program_of(pid_t pid) {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", failed);
}

TEST(Process, HasThreeStreams) {
  const auto process = started(shell("read line; echo \"got $line\"; echo oops >&2; exit 3"));
  ASSERT_EQ(::write(process->input(), "hello\n", 6), 6);
  EXPECT_EQ(read_all(process->output()), "got hello\n");
  EXPECT_EQ(read_all(process->log()), "oops\n");
  EXPECT_EQ(process->ending(long_enough), "ended with status 3");
  EXPECT_EQ(process->ending(), "ended with status 3");
}

TEST(Process, RunsInItsFolderWithItsEnvironment) {
  const lite_test::TempFolder folder;
  Command command = shell("echo \"$PWD $ASSAY_TEST_WORD\"");
  command.folder = folder.path();
  command.environment = {{"ASSAY_TEST_WORD", "a=b c"}};
  EXPECT_EQ(read_all(started(command)->output()), folder.path() + " a=b c\n");
}

TEST(Process, SaysWhyItCannotBeStarted) {
  const auto absent = Process::start({{"no-such-program-anywhere"}, {}, {}});
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().message,
            "cannot start no-such-program-anywhere: No such file or directory");
  Command elsewhere = shell("true");
  elsewhere.folder = "/no/such/folder";
  const auto lost = Process::start(elsewhere);
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().message,
            "cannot enter the folder /no/such/folder: No such file or directory");
  EXPECT_FALSE(Process::start({}).ok());
}

TEST(Process, IsLookedForWhereTheShellWouldLook) {
  const lite_test::TempFolder folder;
  const std::string path = folder.path() + "/a-text-that-names-no-program";
  std::ofstream(path) << "echo \"$0 $1\"\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_EQ(read_all(started({{path, "read by the shell"}, {}, {}})->output()),
            path + " read by the shell\n");
  Command here = {{"./a-text-that-names-no-program", "too"}, {}, folder.path()};
  EXPECT_EQ(read_all(started(here)->output()), "./a-text-that-names-no-program too\n");
  // Where it is only in its own environment's PATH it is not found: ours counts.
  here = {{"a-text-that-names-no-program"}, {{"PATH", folder.path()}}, {}};
  EXPECT_FALSE(Process::start(here).ok());
  const auto folder_itself = Process::start({{folder.path()}, {}, {}});
  ASSERT_FALSE(folder_itself.ok());
  EXPECT_EQ(folder_itself.error().message, "cannot start " + folder.path() + ": Permission denied");
}

TEST(Process, CanBeWhatWeAreOurselves) {
  const auto process = started({{"/proc/self/exe", "--gtest_list_tests"}, {}, {}});
  EXPECT_NE(read_all(process->output()).find("  CanBeWhatWeAreOurselves\n"), std::string::npos);
}

TEST(Process, HasWordsAndAnEnvironmentOfAnyLengthThatTheSystemTakes) {
  const std::string most(100'000, 'x');
  Command command = {{"sh", "-c", "echo ${#1} ${#2} ${#ASSAY_TEST_WORD}", "", most, most}, {}, {}};
  command.environment = {{"ASSAY_TEST_WORD", most}};
  EXPECT_EQ(read_all(started(command)->output()), "100000 100000 100000\n");
  command.words.insert(command.words.end(), 100, most);
  const auto too_long = Process::start(command);
  ASSERT_FALSE(too_long.ok());
  EXPECT_EQ(too_long.error().message, "cannot start sh: Argument list too long");
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(Process, IsAloneInHavingItsWords) {
  const auto process = started(shell("read line # a remark to look for"));
  const pid_t warden = warden_of(*process);
  EXPECT_NE(proc_file(process->pid(), "cmdline").find("a remark"), std::string::npos);
  EXPECT_EQ(proc_file(warden, "cmdline").find("a remark"), std::string::npos);
  EXPECT_EQ(proc_file(warden, "comm"), "assay-warden\n");
}

TEST(Process, IsAloneInHavingItsEnvironment) {
  Command command = shell("read line");
  command.environment = {{"ASSAY_TEST_WORD", "to-be-known-by"}};
  const auto process = started(command);
  const pid_t warden = warden_of(*process);
  EXPECT_NE(proc_file(process->pid(), "environ").find("to-be-known-by"), std::string::npos);
  for (const char* file : {"environ", "cmdline"})
    EXPECT_EQ(proc_file(warden, file).find("to-be-known-by"), std::string::npos) << file;
  EXPECT_NE(proc_file(warden, "environ").find("PATH="), std::string::npos);  // it has ours
}

TEST(Process, IsGuardedByAProgramThatCopiesNothingOfUs) {
  const auto process = started(shell("read line"));
  EXPECT_TRUE(program_of(warden_of(*process)).starts_with("/memfd:assay-warden"));
}
#endif

// The same where no file in memory can be had, in a process of its own: here it could not be
// undone.
TEST(Process, IsGuardedByACopyOfUsWhereThatProgramCannotBeHad) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t us = ::fork();
  if (us == 0) {
    const rlimit nothing{0, 0};
    ::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &nothing) != 0) ::_exit(1);
    auto process = Process::start(shell("sleep 1000 & echo $!; read status; exit $status"));
    std::string seen = std::to_string((*process)->pid()) + " " + read_line((*process)->output());
    seen.back() = ' ';
    seen += program_of(warden_of(**process)) == program_of(::getpid()) ? "copy " : "other ";
    static_cast<void>(::write((*process)->input(), "3\n", 2));
    seen += (*process)->ending(long_enough).value_or("lives on") + "\n";
    static_cast<void>(::write(told[1], seen.data(), seen.size()));
    for (;;) ::pause();
  }
  ::close(told[1]);
  std::istringstream seen(read_line(told[0]));
  pid_t itself = -1, child = -1;
  std::string guarded_by, ending;
  seen >> itself >> child >> guarded_by;
  ASSERT_GT(child, 0);
  std::getline(seen, ending);
  EXPECT_EQ(guarded_by, "copy");
  EXPECT_EQ(ending, " ended with status 3");
  EXPECT_EQ(::kill(child, 0), 0);
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  EXPECT_TRUE(gone(itself));
  EXPECT_TRUE(gone(child));
}

TEST(Process, TellsOfASignalThatKilledIt) {
  const auto process = started(shell("sleep 1000"));
  EXPECT_EQ(process->ending(), std::nullopt);
  ::kill(process->pid(), SIGKILL);
  EXPECT_EQ(process->ending(long_enough), "was killed by signal 9");
}

TEST(Process, EndsAtTheEndOfItsInput) {
  const auto process = started({{"cat"}, {}, {}});
  process->close_input();
  EXPECT_EQ(process->ending(long_enough), "ended with status 0");
}

TEST(Process, TakesItsDescendantsWithItEvenThoseThatHid) {
  // One in a session of its own, whose parent is gone: it looks like a daemon.
  auto process = started(
      shell("trap '' TERM HUP; setsid sh -c 'sleep 1000 & echo $!' ; sleep 1000 & echo $!; wait"));
  const pid_t hidden = std::stoi(read_line(process->output()));
  const pid_t child = std::stoi(read_line(process->output()));
  const pid_t itself = process->pid();
  EXPECT_EQ(::kill(hidden, 0), 0);
  process.reset();
  for (const pid_t pid : {hidden, child, itself}) EXPECT_TRUE(gone(pid));
}

TEST(Process, EndsWhenWeAreKilled) {
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t us = ::fork();
  if (us == 0) {
    auto process = Process::start(shell("sleep 1000 & echo $!; wait"));
    const std::string pids =
        std::to_string((*process)->pid()) + " " + read_line((*process)->output());
    static_cast<void>(::write(told[1], pids.data(), pids.size()));
    for (;;) ::pause();
  }
  const std::string pids = read_line(told[0]);
  const pid_t itself = std::stoi(pids), child = std::stoi(pids.substr(pids.find(' ')));
  EXPECT_EQ(::kill(itself, 0), 0);
  ::kill(us, SIGKILL);
  ::waitpid(us, nullptr, 0);
  EXPECT_TRUE(gone(itself));
  EXPECT_TRUE(gone(child));
}

TEST(Process, InheritsNothingButItsStreams) {
  int leak[2];
  ASSERT_EQ(::pipe(leak), 0);
  const auto process = started(shell("ls /proc/self/fd"));
  EXPECT_EQ(read_all(process->output()), "0\n1\n2\n3\n");  // 3: the folder that ls reads
  ::close(leak[0]);
  ::close(leak[1]);
}

}  // namespace
}  // namespace assay
