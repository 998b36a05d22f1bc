#include "harness/remote/detail/wait.h"

#include <poll.h>
#include <sched.h>

#include "harness/contract/clock.h"

namespace assay::detail {

static constexpr double awake_seconds = 50e-6;
static constexpr int most_in_vain = 4, naps_then = 64;

static int look_awake(pollfd* streams, unsigned count) {
  const Stopwatch watch;
  do {
    if (const int ready = ::poll(streams, count, 0)) return ready;
    ::sched_yield();
  } while (watch.seconds() < awake_seconds);
  return 0;
}

int InputWait::wait(pollfd* streams, unsigned count, double seconds) {
  if (naps_ > 0) {
    --naps_;
  } else if (const int ready = look_awake(streams, count)) {
    in_vain_ = 0;
    return ready;
  } else if (++in_vain_ >= most_in_vain) {
    naps_ = naps_then;
    in_vain_ = most_in_vain - 1;  // one more look decides
  }
  return ::poll(streams, count, seconds < 0 ? -1 : static_cast<int>(seconds * 1000) + 1);
}

}  // namespace assay::detail
