// Waiter: whom the loop (loop.h) tells that a socket is ready.
#pragma once

#include <cstdint>

namespace assay::proxy {

class Waiter {
 public:
  virtual ~Waiter() = default;

  // `events` as epoll has them.
  virtual void ready(std::uint32_t events) = 0;
};

// One of several sockets of an owner, which it tells apart by the function that is called.
template <class Owner>
class WaiterOf final : public Waiter {
 public:
  using Ready = void (Owner::*)(std::uint32_t events);

  // The owner is borrowed for life.
  WaiterOf(Owner& owner, Ready ready) : owner_(owner), ready_(ready) {}
  void ready(std::uint32_t events) override { (owner_.*ready_)(events); }

 private:
  Owner& owner_;
  const Ready ready_;
};

}  // namespace assay::proxy
