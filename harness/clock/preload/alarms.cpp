// Short interval timers, under a clock that stands still.
//
// A timer counts real time; but Postgres, when the signal comes, looks at the clock whether
// anything is due, and if the clock stands still nothing ever is: two sessions that wait for each
// other's locks would wait for good, because nobody looks for a deadlock. So the handler of
// SIGALRM, and nobody else, sees the time that passed since its timer was set, up to a tenth of a
// second: short timeouts, which guard against such things, come true; long ones wait until the
// clock is moved.
#include <signal.h>
#include <sys/time.h>

#include "harness/clock/preload/preload.h"

namespace assay::preload {
namespace {

constexpr std::int64_t most_grace_ns = 100'000'000;

Next<int(int, const struct sigaction*, struct sigaction*)> next_sigaction("sigaction");
Next<int(int, const itimerval*, itimerval*)> next_setitimer("setitimer");

using Handler = void(int, siginfo_t*, void*);
using PlainHandler = void(int);

Handler* handler = nullptr;  // whose place ours has
int handler_flags = 0;

std::int64_t set_at_ns = 0;   // when the timer was set
std::int64_t carried_ns = 0;  // what its handler saw before it set it again
thread_local bool inside = false;

void on_alarm(int number, siginfo_t* about, void* context) {
  Handler* theirs = __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
  const bool before = inside;
  inside = true;
  if (__atomic_load_n(&handler_flags, __ATOMIC_RELAXED) & SA_SIGINFO)
    theirs(number, about, context);
  else
    reinterpret_cast<PlainHandler*>(reinterpret_cast<void*>(theirs))(number);
  inside = before;
}

bool is_a_function(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

// What they asked for, in place of ours.
void show_theirs(struct sigaction* old, Handler* theirs, int flags) {
  if (!old || !(old->sa_flags & SA_SIGINFO) || old->sa_sigaction != on_alarm) return;
  old->sa_flags = flags;
  old->sa_sigaction = theirs;
}

}  // namespace

std::int64_t alarm_grace_ns() {
  if (!inside) return 0;
  const std::int64_t seen = carried_ns + monotonic_ns() - set_at_ns;
  return seen < most_grace_ns ? seen : most_grace_ns;
}

}  // namespace assay::preload

using namespace assay::preload;

extern "C" {

ASSAY_OVERRIDES int sigaction(int number, const struct sigaction* action,
                              struct sigaction* old) noexcept {
  if (number != SIGALRM || !control()) return next_sigaction(number, action, old);
  Handler* const theirs = handler;
  const int flags = handler_flags;
  struct sigaction ours {};
  if (action && is_a_function(*action)) {
    ours = *action;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = on_alarm;
    __atomic_store_n(&handler_flags, action->sa_flags, __ATOMIC_RELAXED);
    __atomic_store_n(&handler, action->sa_sigaction, __ATOMIC_RELEASE);
    action = &ours;
  }
  const int done = next_sigaction(number, action, old);
  if (done == 0) show_theirs(old, theirs, flags);
  return done;
}

ASSAY_OVERRIDES int setitimer(int which, const itimerval* value, itimerval* old) noexcept {
  if (which == ITIMER_REAL && control()) {
    carried_ns = inside ? alarm_grace_ns() : 0;
    set_at_ns = monotonic_ns();
  }
  return next_setitimer(which, value, old);
}

}  // extern "C"
