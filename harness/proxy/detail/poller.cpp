#include "harness/proxy/detail/poller.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/contract/clock.h"

namespace assay::proxy {

// The next request of a busy client is there sooner than a sleeper, and a processor that went to
// sleep with it, would wake: twice as fast as to sleep on a quiet machine. Where others want the
// processors it is the other way round: whoever yields waits for all of them, and is late. So the
// next waits after such a one are slept through, twice as many if that was no better than before.
// Who looks in vain again and again waits for something slower than that, a store that syncs its
// disk or a fault, and takes the processor from it.
// Where more are ready at once than one connection has sides there are many clients, and whoever
// sleeps finds more of them.
static constexpr double awake_seconds = 50e-6;
static constexpr double late_seconds = 4 * awake_seconds;
static constexpr int fewest_naps = 200, most_naps = 100'000;
static constexpr int most_in_vain = 4, naps_after_those = 64;
static constexpr int both_sides = 2, naps_in_a_crowd = 64;
static constexpr int good_waits = 2'000;  // in a row, and all is forgotten

Result<std::unique_ptr<Poller>> Poller::make() {
  std::unique_ptr<Poller> poller(new Poller);
  poller->next_naps_ = fewest_naps;
  poller->epoll_ = Socket(::epoll_create1(EPOLL_CLOEXEC));
  poller->wake_ = Socket(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!poller->epoll_.is_open() || !poller->wake_.is_open())
    return Error{ErrorCode::unavailable, "cannot wait for sockets: " + system_text(errno)};
  poller->watch(poller->wake_.get(), EPOLLIN, nullptr);
  return poller;
}

void Poller::watch(int descriptor, std::uint32_t events, void* who) {
  epoll_event event{events, {.ptr = who}};
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0);
}

void Poller::change(int descriptor, std::uint32_t events, void* who) {
  epoll_event event{events, {.ptr = who}};
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event) == 0);
}

void Poller::forget(int descriptor) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void Poller::wake() {
  const std::uint64_t one = 1;
  // Where it cannot be written it is full, and wakes all the same.
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

int Poller::look(int timeout_ms) {
  const int count = ::epoll_wait(epoll_.get(), ready_, most, timeout_ms);
  CHECK(count >= 0 || errno == EINTR);
  return count < 0 ? 0 : count;
}

int Poller::look_awake(double most_seconds) {
  const Stopwatch watch;
  int count = look(0);
  while (count == 0 && watch.seconds() < most_seconds) {
    ::sched_yield();
    count = look(0);
  }
  if (count > 0) {
    in_vain_ = 0;
  } else if (++in_vain_ >= most_in_vain) {
    naps_ = naps_after_those;
    in_vain_ = most_in_vain - 1;  // one more look decides
  }
  if (watch.seconds() > late_seconds) {
    naps_ = std::exchange(next_naps_, std::min(2 * next_naps_, most_naps));
    good_ = 0;
  } else if (good_ < good_waits && ++good_ == good_waits) {
    next_naps_ = fewest_naps;
  }
  return count;
}

// epoll_wait alone sleeps for whole milliseconds.
int Poller::look_asleep(std::optional<std::chrono::microseconds> most) {
  if (!most) return look(-1);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*most);
  const timespec time{seconds.count(), (*most - seconds).count() * 1000};
  pollfd any{epoll_.get(), POLLIN, 0};
  ::ppoll(&any, 1, &time, nullptr);
  return look(0);
}

std::span<const epoll_event> Poller::wait(std::optional<std::chrono::microseconds> most) {
  int count = 0;
  const Stopwatch watch;
  if (naps_ > 0)
    --naps_;
  else
    count = look_awake(most ? std::min(awake_seconds, most->count() * 1e-6) : awake_seconds);
  if (count == 0 && most)
    most = std::max(*most - std::chrono::microseconds(static_cast<long>(watch.seconds() * 1e6)),
                    std::chrono::microseconds(0));
  if (count == 0) count = look_asleep(most);
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (ready_[i].data.ptr) {
      ready_[kept++] = ready_[i];
      continue;
    }
    std::uint64_t drained = 0;
    [[maybe_unused]] const auto size = ::read(wake_.get(), &drained, sizeof drained);
  }
  if (kept > both_sides) naps_ = std::max(naps_, naps_in_a_crowd);
  return {ready_, static_cast<std::size_t>(kept)};
}

}  // namespace assay::proxy
