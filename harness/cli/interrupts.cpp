#include "harness/cli/interrupts.h"

#include <pthread.h>
#include <unistd.h>

#include <vector>

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

static void listen(const std::vector<std::function<void()>>& steps,
                   const std::function<void()>& last) {
  const sigset_t set = heard();
  std::size_t taken = 0;
  Stopwatch since;
  for (int signal = 0; sigwait(&set, &signal) == 0;) {
    if (signal == SIGUSR1) return;
    if (taken > 0 && (signal == SIGHUP || since.seconds() < at_once_seconds)) continue;
    if (taken == steps.size()) {
      last();
      _exit(128 + signal);
    }
    since = Stopwatch();
    steps[taken++]();
  }
}

Interrupts::Interrupts(std::function<void()> first, std::function<void()> last)
    : Interrupts(std::move(first), nullptr, std::move(last)) {}

Interrupts::Interrupts(std::function<void()> first, std::function<void()> second,
                       std::function<void()> last)
    : listener_([steps = std::vector{std::move(first), std::move(second)},
                 last = std::move(last)]() mutable {
        std::erase_if(steps, [](const auto& step) { return !step; });
        listen(steps, last);
      }) {}

Interrupts::~Interrupts() {
  pthread_kill(listener_.native_handle(), SIGUSR1);
  listener_.join();
}

}  // namespace assay::cli
