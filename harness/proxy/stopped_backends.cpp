#include "harness/proxy/stopped_backends.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/contract/text_of.h"
#include "harness/proxy/detail/guard.h"

namespace assay::proxy {
namespace {

Error cannot(std::string_view what) {
  return {ErrorCode::unavailable, fmt::format("cannot {}: {}", what, std::strerror(errno)),
          LeaseReason::unstated, true};
}

// A backend names its client in its title: "postgres: me db 127.0.0.1(41234) idle". A process that
// has the same number by chance, because the server lives in a container, does not.
bool serves(const StoreSession& session) {
  if (session.backend_pid <= 1) return false;
  const std::string title = text_of(fmt::format("/proc/{}/cmdline", session.backend_pid));
  const std::size_t colon = session.address.rfind(':');
  if (colon == std::string::npos) return false;
  const std::string place = fmt::format("({})", session.address.substr(colon + 1));
  return title.starts_with("postgres") && title.find(place) != std::string::npos;
}

// 'T': stopped; 'Z', 'X' or nothing: gone.
char state_of(pid_t pid) {
  const std::string line = text_of(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= line.size() ? '\0' : line[name_end + 2];
}

}  // namespace

Result<std::unique_ptr<StoppedBackends>> StoppedBackends::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return cannot("make a leash for the guard");
  const pid_t guard = ::fork();
  if (guard == 0) be_guard(ends[1]);
  ::close(ends[1]);
  if (guard < 0) {
    ::close(ends[0]);
    return cannot("start the guard");
  }
  std::unique_ptr<StoppedBackends> stopped(new StoppedBackends);
  stopped->guard_ = guard;
  stopped->leash_ = ends[0];
  return stopped;
}

StoppedBackends::~StoppedBackends() {
  resume_all();
  ::close(leash_);
  while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool StoppedBackends::tell_guard(bool stops, pid_t pid) {
  const GuardOrder order{stops ? GuardOrder::What::stops : GuardOrder::What::goes_on, pid};
  return ::send(leash_, &order, sizeof order, MSG_NOSIGNAL) == sizeof order;
}

Status StoppedBackends::stop(const StoreSession& session) {
  const std::scoped_lock lock(mutex_);
  const pid_t pid = session.backend_pid;
  if (stopped_.contains(pid)) return Done{};
  if (!serves(session))
    return unsupported(fmt::format(
        "the process {} is not the one that serves {}: only backends of a server that runs on this "
        "machine can be stopped",
        pid, session.address));
  if (stopped_.size() == most_guarded) return conflict("too many backends are stopped already");
  // First: if we die between the two, one goes on that never stopped.
  if (!tell_guard(true, pid)) return cannot("reach the guard of stopped backends");
  if (::kill(pid, SIGSTOP) != 0) {
    const Error error = cannot(fmt::format("stop the backend {}", pid));
    tell_guard(false, pid);
    return error;
  }
  stopped_.insert(pid);
  // It stops on its way back from the kernel, or in its sleep; both are short.
  constexpr int most_looks = 1'000'000;
  for (int look = 0; look < most_looks; ++look) {
    const char state = state_of(pid);
    if (state == 'T' || state == '\0' || state == 'Z' || state == 'X') break;
    ::sched_yield();
  }
  return Done{};
}

void StoppedBackends::resume(const StoreSession& session) {
  const std::scoped_lock lock(mutex_);
  if (stopped_.erase(session.backend_pid) == 0) return;
  ::kill(session.backend_pid, SIGCONT);
  tell_guard(false, session.backend_pid);
}

void StoppedBackends::resume_all() {
  const std::scoped_lock lock(mutex_);
  for (const pid_t pid : stopped_) {
    ::kill(pid, SIGCONT);
    tell_guard(false, pid);
  }
  stopped_.clear();
}

}  // namespace assay::proxy
