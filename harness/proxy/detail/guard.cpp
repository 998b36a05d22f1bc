#include "harness/proxy/detail/guard.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace assay::proxy {
namespace {

// Descriptors of the whole program were inherited; held here, they would never close.
void keep_only(int descriptor) {
  const auto kept = static_cast<unsigned>(descriptor);
  if (kept > 0) ::syscall(SYS_close_range, 0U, kept - 1, 0U);
  ::syscall(SYS_close_range, kept + 1, ~0U, 0U);
}

struct Guarded {
  pid_t pids[most_guarded] = {};
  int count = 0;

  void add(pid_t pid) {
    if (count < most_guarded) pids[count++] = pid;
  }
  void remove(pid_t pid) {
    for (int i = 0; i < count; ++i)
      if (pids[i] == pid) pids[i--] = pids[--count];
  }
};

}  // namespace

void be_guard(int leash) {
  ::setsid();
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  keep_only(leash);
  Guarded guarded;
  GuardOrder order;
  for (;;) {
    const ssize_t size = ::recv(leash, &order, sizeof order, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size != sizeof order) break;
    if (order.what == GuardOrder::What::stops)
      guarded.add(order.pid);
    else
      guarded.remove(order.pid);
  }
  for (int i = 0; i < guarded.count; ++i) ::kill(guarded.pids[i], SIGCONT);
  ::_exit(0);
}

}  // namespace assay::proxy
