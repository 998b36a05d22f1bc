#include "harness/remote/detail/wait.h"

#include <poll.h>
#include <sched.h>

#include "harness/contract/clock.h"

namespace assay::detail {

static constexpr double awake_seconds = 50e-6;

int wait_for_input(pollfd* streams, unsigned count, double seconds) {
  const Stopwatch watch;
  do {
    if (const int ready = ::poll(streams, count, 0)) return ready;
    ::sched_yield();
  } while (watch.seconds() < awake_seconds);
  return ::poll(streams, count, seconds < 0 ? -1 : static_cast<int>(seconds * 1000) + 1);
}

}  // namespace assay::detail
