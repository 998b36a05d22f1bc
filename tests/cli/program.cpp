#include "tests/cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace assay::tests {

namespace {

[[noreturn]] void become_assay(const std::vector<std::string>& arguments,
                               const Environment& environment) {
  for (const char* name : {"CI", "NO_COLOR", "ASSAY_PROGRAM"}) unsetenv(name);
  for (const auto& [name, value] : environment.extra) setenv(name.c_str(), value.c_str(), 1);
  signal(SIGHUP, environment.nohup ? SIG_IGN : SIG_DFL);
  if (chdir(environment.folder.c_str()) != 0) _exit(125);
  if (const int nothing = open("/dev/null", O_RDONLY); nothing >= 0) dup2(nothing, STDIN_FILENO);
  std::vector<char*> words{const_cast<char*>("assay")};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(ASSAY_BINARY, words.data());
  _exit(126);
}

// Reads both until they end, and interrupts where it was asked to.
void listen(int out, int err, pid_t child, const Environment& environment, Ended& ended) {
  pollfd sources[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::size_t interrupted = 0;
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    // A guard against hanging, not a measure: on a busy machine a run may be silent for minutes.
    if (poll(sources, 2, 600'000) <= 0) {
      kill(child, SIGKILL);
      ADD_FAILURE() << "assay said nothing for ten minutes";
      return;
    }
    for (int i = 0; i < 2; ++i) {
      if (sources[i].fd < 0 || sources[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t got = read(sources[i].fd, buffer, sizeof buffer);
      if (got <= 0) sources[i].fd = -1;
      if (got > 0) (i == 0 ? ended.out : ended.err).append(buffer, static_cast<std::size_t>(got));
    }
    if (interrupted < environment.after.size() &&
        (ended.out + ended.err).find(environment.after[interrupted]) != std::string::npos) {
      kill(child, environment.signal);
      ++interrupted;
    }
  }
}

int status_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Ended run_assay(const std::vector<std::string>& arguments, const Environment& environment) {
  Ended ended;
  int out[2] = {-1, -1}, err[2] = {-1, -1};
  pid_t child = -1;
  if (environment.terminal) {
    winsize size{.ws_row = 40, .ws_col = 90, .ws_xpixel = 0, .ws_ypixel = 0};
    child = forkpty(&out[0], nullptr, nullptr, &size);
    if (child == 0) become_assay(arguments, environment);
  } else {
    EXPECT_EQ(pipe2(out, O_CLOEXEC) + pipe2(err, O_CLOEXEC), 0);
    child = fork();
    if (child == 0) {
      const std::string& file = environment.out_file;
      dup2(file.empty() ? out[1] : open(file.c_str(), O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
      dup2(err[1], STDERR_FILENO);
      become_assay(arguments, environment);
    }
    close(out[1]);
    close(err[1]);
    if (environment.deaf) {
      close(out[0]);
      out[0] = -1;
    }
  }
  EXPECT_GT(child, 0);
  listen(out[0], err[0], child, environment, ended);
  ended.status = status_of(child);
  if (out[0] >= 0) close(out[0]);
  if (err[0] >= 0) close(err[0]);
  return ended;
}

std::string last_line(const std::string& text) {
  std::string rest = text;
  while (!rest.empty() && (rest.back() == '\n' || rest.back() == '\r')) rest.pop_back();
  return rest.substr(rest.rfind('\n') + 1);
}

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace assay::tests
