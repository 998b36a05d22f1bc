#include "harness/remote/detail/warden.h"

#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <cerrno>

#include "harness/remote/detail/system_calls.h"

namespace assay::detail {
namespace {

void tell(int report, Step step, int value) {
  const WardenReport line{step, value};
  // Nobody is left to be told that this failed.
  bare::write(report, &line, sizeof line);
}

void reset_signals() {
  for (int number = 1; number <= 64; ++number) bare::back_to_default(number);
  bare::block(0);
}

// A text that no program is named for is the shell's to read.
int exec_one(char* path, const WardenOrders& orders) {
  const int error = bare::exec(path, orders.argv, orders.envp);
  if (error != -ENOEXEC) return error;
  char shell[] = "/bin/sh";
  char** const argv = orders.argv - 1;
  argv[0] = shell;
  argv[1] = path;
  return bare::exec(shell, argv, orders.envp);
}

// A place where it is not, or is not ours to have, does not keep it from being in the next one.
int exec_first(const WardenOrders& orders) {
  int first = -ENOENT;
  for (char** path = orders.paths; *path; ++path) {
    const int error = exec_one(*path, orders);
    if (error == -EACCES) first = error;
    if (error != -EACCES && error != -ENOENT && error != -ENOTDIR) return error;
  }
  return first;
}

// `started` closes by itself when the program begins; before that it carries what failed.
[[noreturn]] void be_program(const WardenOrders& orders, pid_t warden, int started) {
  const auto fail = [&](Step step, long error) {
    tell(started, step, static_cast<int>(-error));
    bare::exit(127);
  };
  bare::own_group();
  bare::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (bare::getppid() != warden) bare::exit(127);
  for (int stream = 0; stream < 3; ++stream) bare::copy(orders.streams[stream], stream);
  bare::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  reset_signals();
  if (orders.folder)
    if (const long error = bare::chdir(orders.folder); error < 0) fail(Step::folder, error);
  fail(Step::program, exec_first(orders));
  __builtin_unreachable();
}

void kill_children() {
  char text[4096];
  const int file = bare::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const long size = bare::read(file, text, sizeof text);
  bare::close(file);
  pid_t child = 0;
  for (long i = 0; i < size; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      child = child * 10 + (text[i] - '0');
    } else if (child > 0) {
      bare::kill(child, SIGKILL);
      child = 0;
    }
  }
}

// Orphans of the killed become our children, so this ends with the last descendant.
[[noreturn]] void end_everything(pid_t program) {
  if (program > 0) bare::kill(-program, SIGKILL);
  pid_t ended = 0;
  do {
    kill_children();
    ended = bare::wait(-1, nullptr, 0);
  } while (ended > 0 || ended == -EINTR);
  bare::exit(0);
}

void reap(pid_t& program, int report) {
  int status = 0;
  for (pid_t ended = 0; (ended = bare::wait(-1, &status, WNOHANG)) > 0;) {
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
    if (at > next) bare::close_range(next, at - 1, 0);
    next = at + 1;
  }
  bare::close_range(next, ~0U, 0);
}

[[noreturn]] void fail_to_fork(const WardenOrders& orders, long error) {
  tell(orders.report, Step::fork, static_cast<int>(-error));
  bare::exit(1);
}

}  // namespace

Ward start_program(const WardenOrders& orders) {
  bare::setsid();
  bare::prctl(PR_SET_CHILD_SUBREAPER, 1);
  bare::block(~0UL);
  const int events = bare::file_of(1UL << (SIGCHLD - 1), SFD_CLOEXEC | SFD_NONBLOCK);
  if (events < 0) fail_to_fork(orders, events);
  int started[2];
  if (const long error = bare::pipe(started); error < 0) fail_to_fork(orders, error);
  const pid_t self = bare::getpid();
  const pid_t program = bare::fork();
  if (program == 0) be_program(orders, self, started[1]);
  if (program < 0) fail_to_fork(orders, program);
  bare::close(started[1]);
  WardenReport failure;
  if (bare::read(started[0], &failure, sizeof failure) == sizeof failure) {
    tell(orders.report, failure.failed_step, failure.value);
    bare::exit(0);
  }
  keep_only(orders, events);
  return {program, events};
}

void guard(const WardenOrders& orders, Ward ward) {
  tell(orders.report, Step::none, ward.program);
  for (;;) {
    pollfd ready[] = {{orders.leash, POLLIN, 0}, {ward.events, POLLIN, 0}};
    if (const long count = bare::poll(ready, 2); count < 0 && count != -EINTR)
      end_everything(ward.program);
    if (ready[0].revents) end_everything(ward.program);
    signalfd_siginfo drained;
    while (bare::read(ward.events, &drained, sizeof drained) > 0) {
    }
    reap(ward.program, orders.report);
  }
}

}  // namespace assay::detail
