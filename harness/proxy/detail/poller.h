// Poller: waits for sockets that can be read or written, at first without sleeping.
//
// `wait` is for one thread; everything else may be called by any.
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>

#include "harness/proxy/detail/sockets.h"

namespace assay::proxy {

class Poller {
 public:
  static Result<std::unique_ptr<Poller>> make();

  // `events` as epoll has them; `who` comes back with them.
  void watch(int descriptor, std::uint32_t events, void* who);
  void change(int descriptor, std::uint32_t events, void* who);
  // Nobody is told of it any more. To be called before it is closed: closing alone does not do where
  // a child that was just forked has it open too.
  void forget(int descriptor);

  // `wait` returns, now or the next time.
  void wake();

  // Those that are ready; none after a wake, or when so much time has passed. The span holds until
  // the next call.
  std::span<const epoll_event> wait(std::optional<std::chrono::microseconds> most = std::nullopt);

 private:
  Poller() = default;
  int look(int timeout_ms);
  int look_awake(double most_seconds);
  int look_asleep(std::optional<std::chrono::microseconds> most);

  static constexpr int most = 64;

  Socket epoll_, wake_;
  epoll_event ready_[most];
  int naps_ = 0;     // so many waits are slept through from the beginning
  int in_vain_ = 0;  // looks without sleep, in a row
  int next_naps_ = 0, good_ = 0;
};

}  // namespace assay::proxy
