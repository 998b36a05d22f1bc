#include "harness/cli/interrupts.h"

#include <pthread.h>
#include <unistd.h>

#include "harness/contract/clock.h"

namespace assay::cli {

// SIGUSR1, sent by the destructor, ends the listener.
static sigset_t heard() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&set, signal);
  // sigwait would hear even what is to be ignored.
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&set, SIGHUP);
  return set;
}

void block_interrupts() {
  const sigset_t set = heard();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

// timeout(1) sends its signal twice: to the program and to its group.
static constexpr double at_once_seconds = 0.3;

static void listen(const std::function<void()>& first, const std::function<void()>& last) {
  const sigset_t set = heard();
  bool warned = false;
  Stopwatch since;
  for (int signal = 0; sigwait(&set, &signal) == 0;) {
    if (signal == SIGUSR1) return;
    if (warned && (signal == SIGHUP || since.seconds() < at_once_seconds)) continue;
    if (warned || !first) {
      last();
      _exit(128 + signal);
    }
    warned = true;
    since = Stopwatch();
    first();
  }
}

Interrupts::Interrupts(std::function<void()> first, std::function<void()> last)
    : listener_([first = std::move(first), last = std::move(last)] { listen(first, last); }) {}

Interrupts::~Interrupts() {
  pthread_kill(listener_.native_handle(), SIGUSR1);
  listener_.join();
}

}  // namespace assay::cli
