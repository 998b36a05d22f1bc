#include "harness/remote/process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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
