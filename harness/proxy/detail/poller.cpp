#include "harness/proxy/detail/poller.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace assay::proxy {

Result<std::unique_ptr<Poller>> Poller::make() {
  std::unique_ptr<Poller> poller(new Poller);
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

void Poller::wake() {
  const std::uint64_t one = 1;
  // Where it cannot be written it is full, and wakes all the same.
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

// To stay awake for a while was tried: it gained nothing where client, proxy and store share two
// processors, and lost a third where others want them too.
std::span<const epoll_event> Poller::wait() {
  const int count = ::epoll_wait(epoll_.get(), ready_, most, -1);
  CHECK(count >= 0 || errno == EINTR);
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (ready_[i].data.ptr) {
      ready_[kept++] = ready_[i];
      continue;
    }
    std::uint64_t drained = 0;
    [[maybe_unused]] const auto size = ::read(wake_.get(), &drained, sizeof drained);
  }
  return {ready_, static_cast<std::size_t>(kept)};
}

}  // namespace assay::proxy
