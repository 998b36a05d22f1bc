#include "harness/remote/detail/warden.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace assay::detail {
namespace {

void tell(int report, Step step, int value) {
  const WardenReport line{step, value};
  // Nobody is left to be told that this failed.
  [[maybe_unused]] const auto written = ::write(report, &line, sizeof line);
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// `started` closes by itself when the program begins; before that it carries what failed.
[[noreturn]] void be_program(const WardenOrders& orders, pid_t warden, int started) {
  const auto fail = [&](Step step) {
    tell(started, step, errno);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != warden) ::_exit(127);
  for (int stream = 0; stream < 3; ++stream) ::dup2(orders.streams[stream], stream);
  ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  reset_signals();
  if (orders.folder && ::chdir(orders.folder) != 0) fail(Step::folder);
  ::execvpe(orders.argv[0], orders.argv, orders.envp);
  fail(Step::program);
  __builtin_unreachable();
}

void kill_children() {
  char text[4096];
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  pid_t child = 0;
  for (ssize_t i = 0; i < size; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      child = child * 10 + (text[i] - '0');
    } else if (child > 0) {
      ::kill(child, SIGKILL);
      child = 0;
    }
  }
}

// Orphans of the killed become our children, so this ends with the last descendant.
[[noreturn]] void end_everything(pid_t program) {
  if (program > 0) ::kill(-program, SIGKILL);
  do kill_children();
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR);
  ::_exit(0);
}

void reap(pid_t& program, int report) {
  int status = 0;
  for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended != program) continue;
    program = -1;
    tell(report, Step::none, status);
  }
}

void keep_only(const WardenOrders& orders, int events) {
  // Descriptors of the whole program were inherited; held here, they would never close.
  int kept[] = {orders.leash, orders.report, events};
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 3; ++j)
      if (kept[j] < kept[i]) {
        const int smaller = kept[j];
        kept[j] = kept[i];
        kept[i] = smaller;
      }
  unsigned next = 0;
  for (const int descriptor : kept) {
    const auto at = static_cast<unsigned>(descriptor);
    if (at > next) ::syscall(SYS_close_range, next, at - 1, 0U);
    next = at + 1;
  }
  ::syscall(SYS_close_range, next, ~0U, 0U);
}

}  // namespace

void be_warden(const WardenOrders& orders) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  const int events = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  int started[2];
  const pid_t self = ::getpid();
  if (events < 0 || ::pipe2(started, O_CLOEXEC) != 0) {
    tell(orders.report, Step::fork, errno);
    ::_exit(1);
  }
  pid_t program = ::fork();
  if (program == 0) be_program(orders, self, started[1]);
  if (program < 0) {
    tell(orders.report, Step::fork, errno);
    ::_exit(1);
  }
  ::close(started[1]);
  WardenReport failure;
  if (::read(started[0], &failure, sizeof failure) == sizeof failure) {
    tell(orders.report, failure.failed_step, failure.value);
    ::_exit(0);
  }
  tell(orders.report, Step::none, program);
  keep_only(orders, events);
  for (;;) {
    pollfd ready[] = {{orders.leash, POLLIN, 0}, {events, POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR) end_everything(program);
    if (ready[0].revents) end_everything(program);
    signalfd_siginfo drained;
    while (::read(events, &drained, sizeof drained) > 0) {
    }
    reap(program, orders.report);
  }
}

}  // namespace assay::detail
