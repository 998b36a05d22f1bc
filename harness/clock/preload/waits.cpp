// Waits that end at an instant of CLOCK_REALTIME: they end when *our* clock gets there. An instant
// of 2030 would else be waited for until 2030.
//
// Nobody is woken when the clock is moved, so whoever waits looks at it now and then.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "harness/clock/preload/preload.h"

namespace assay::preload {
namespace {

constexpr std::int64_t look_ns = 10'000'000;

Next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> next_timedwait(
    "pthread_cond_timedwait");
Next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> next_clockwait(
    "pthread_cond_clockwait");
Next<int(sem_t*, const timespec*)> next_sem_timedwait("sem_timedwait");
Next<int(sem_t*, clockid_t, const timespec*)> next_sem_clockwait("sem_clockwait");
Next<int(pthread_mutex_t*, const timespec*)> next_timedlock("pthread_mutex_timedlock");
Next<int(pthread_mutex_t*, clockid_t, const timespec*)> next_clocklock("pthread_mutex_clocklock");
Next<int(clockid_t, int, const timespec*, timespec*)> next_nanosleep("clock_nanosleep");

bool is_valid(const timespec& at) { return at.tv_nsec >= 0 && at.tv_nsec < second_ns; }

bool is_over(const timespec& until) {
  const timespec at = now();
  return at.tv_sec != until.tv_sec ? at.tv_sec > until.tv_sec : at.tv_nsec >= until.tv_nsec;
}

// Real time to wait before looking again, for somebody who waits for `until`.
std::int64_t pause_ns(const timespec& until) {
  if (is_over(until)) return 0;
  const timespec at = now();
  const ClockSetting setting = setting_of(*control());
  const std::int64_t rate = setting.is_set == 1 ? setting.rate : rate_one;
  if (until.tv_sec - at.tv_sec > 3600 || rate <= 0) return look_ns;
  const double left =
      static_cast<double>((until.tv_sec - at.tv_sec) * second_ns + until.tv_nsec - at.tv_nsec) *
      static_cast<double>(rate_one) / static_cast<double>(rate);
  return left < static_cast<double>(look_ns) ? static_cast<std::int64_t>(left) + 1 : look_ns;
}

timespec monotonic_in(std::int64_t ns) {
  const std::int64_t at = monotonic_ns() + ns;
  return {static_cast<time_t>(at / second_ns), static_cast<long>(at % second_ns)};
}

// A condition that was told to live by CLOCK_MONOTONIC is given instants of that.
bool is_monotonic(const pthread_cond_t* condition) {
#ifdef __GLIBC__
  return (condition->__data.__wrefs & 2) != 0;
#else
  return static_cast<void>(condition), false;
#endif
}

// One look, then the caller is told that it was woken, as it may be at any time. To go on waiting
// here would lose a signal that was sent between two waits, after its condition was made true.
int wait_on(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  if (!is_valid(*until)) return EINVAL;
  const timespec look = monotonic_in(pause_ns(*until));
  const int ended = next_clockwait(condition, mutex, CLOCK_MONOTONIC, &look);
  return ended == ETIMEDOUT && !is_over(*until) ? 0 : ended;
}

int wait_on(sem_t* semaphore, const timespec* until) {
  if (!is_valid(*until)) return errno = EINVAL, -1;
  for (;;) {
    const timespec look = monotonic_in(pause_ns(*until));
    const int ended = next_sem_clockwait(semaphore, CLOCK_MONOTONIC, &look);
    if (ended == 0 || errno != ETIMEDOUT || is_over(*until)) return ended;
  }
}

int lock(pthread_mutex_t* mutex, const timespec* until) {
  if (!is_valid(*until)) return EINVAL;
  for (;;) {
    const timespec look = monotonic_in(pause_ns(*until));
    const int ended = next_clocklock(mutex, CLOCK_MONOTONIC, &look);
    if (ended != ETIMEDOUT || is_over(*until)) return ended;
  }
}

int sleep_to(const timespec* until) {
  if (!is_valid(*until)) return EINVAL;
  while (!is_over(*until)) {
    const timespec look = monotonic_in(pause_ns(*until));
    if (const int ended = next_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &look, nullptr))
      return ended;
  }
  return 0;
}

}  // namespace
}  // namespace assay::preload

using namespace assay::preload;

extern "C" {

ASSAY_OVERRIDES int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           const timespec* until) {
  if (!control() || is_monotonic(condition)) return next_timedwait(condition, mutex, until);
  return wait_on(condition, mutex, until);
}

ASSAY_OVERRIDES int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                           clockid_t clock, const timespec* until) {
  if (!control() || clock != CLOCK_REALTIME) return next_clockwait(condition, mutex, clock, until);
  return wait_on(condition, mutex, until);
}

ASSAY_OVERRIDES int sem_timedwait(sem_t* semaphore, const timespec* until) {
  if (!control()) return next_sem_timedwait(semaphore, until);
  return wait_on(semaphore, until);
}

ASSAY_OVERRIDES int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (!control() || clock != CLOCK_REALTIME) return next_sem_clockwait(semaphore, clock, until);
  return wait_on(semaphore, until);
}

ASSAY_OVERRIDES int pthread_mutex_timedlock(pthread_mutex_t* mutex,
                                            const timespec* until) noexcept {
  if (!control()) return next_timedlock(mutex, until);
  return lock(mutex, until);
}

ASSAY_OVERRIDES int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                            const timespec* until) noexcept {
  if (!control() || clock != CLOCK_REALTIME) return next_clocklock(mutex, clock, until);
  return lock(mutex, until);
}

ASSAY_OVERRIDES int clock_nanosleep(clockid_t clock, int flags, const timespec* until,
                                    timespec* left) {
  if (!control() || clock != CLOCK_REALTIME || !(flags & TIMER_ABSTIME))
    return next_nanosleep(clock, flags, until, left);
  return sleep_to(until);
}

}  // extern "C"
