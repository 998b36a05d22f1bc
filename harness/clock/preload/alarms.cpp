// Short interval timers, under a clock that stands still.
//
// A timer counts real time; but Postgres, when it rings, looks at the clock whether anything is
// due, and if the clock stands still nothing ever is: two sessions that wait for each other's locks
// would wait for good, because nobody looks for a deadlock. So the handler of SIGALRM, and nobody
// else, sees the time pass for which its timer was set, if that was a twentieth of a second at
// most: short timeouts, which guard against such things, come true. Long ones wait until the clock
// is moved, and are not hastened when only little of them is left.
#include <signal.h>
#include <sys/time.h>

#include "harness/clock/preload/preload.h"

namespace assay::preload {
namespace {

constexpr std::int64_t short_ns = 50'000'000;
constexpr std::int64_t look_ns = 10'000'000;

Next<int(int, const struct sigaction*, struct sigaction*)> next_sigaction("sigaction");
Next<int(int, const itimerval*, itimerval*)> next_setitimer("setitimer");

using Handler = void(int, siginfo_t*, void*);
using PlainHandler = void(int);

Handler* handler = nullptr;  // whose place ours has
int handler_flags = 0;

// The timer that was set last.
bool is_short = false;
std::int64_t set_at_ns = 0;
std::int64_t carried_ns = 0;  // what had passed when its handler set it again

thread_local bool inside = false;  // the handler
thread_local bool rung = false;    // by the timer, not by somebody's kill

void on_alarm(int number, siginfo_t* about, void* context) {
  Handler* theirs = __atomic_load_n(&handler, __ATOMIC_ACQUIRE);
  const bool was_inside = inside, was_rung = rung;
  inside = true;
  rung = about->si_code > 0;
  if (__atomic_load_n(&handler_flags, __ATOMIC_RELAXED) & SA_SIGINFO)
    theirs(number, about, context);
  else
    reinterpret_cast<PlainHandler*>(reinterpret_cast<void*>(theirs))(number);
  inside = was_inside;
  rung = was_rung;
}

std::int64_t passed_ns() {
  const std::int64_t passed = carried_ns + monotonic_ns() - set_at_ns;
  return passed < short_ns ? passed : short_ns;
}

bool stands_still() {
  const ClockSetting setting = setting_of(*control());
  return setting.is_set == 1 && setting.rate == 0;
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

std::int64_t alarm_grace_ns() { return rung && is_short ? passed_ns() : 0; }

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

// A timer that its handler sets again is the one that it was. One that waits for a clock that
// stands still need not ring every millisecond.
ASSAY_OVERRIDES int setitimer(int which, const itimerval* value, itimerval* old) noexcept {
  if (which != ITIMER_REAL || !control()) return next_setitimer(which, value, old);
  const std::int64_t length_ns =
      value->it_value.tv_sec * second_ns + value->it_value.tv_usec * 1000;
  carried_ns = inside ? passed_ns() : 0;
  is_short = length_ns <= short_ns && (!inside || is_short);
  set_at_ns = monotonic_ns();
  itimerval later = *value;
  if (inside && !is_short && length_ns > 0 && length_ns < look_ns && stands_still())
    later.it_value = {0, look_ns / 1000};
  return next_setitimer(which, &later, old);
}

}  // extern "C"
