// Loop: a proxy's own thread. Clients come in by doors, sockets are ready, moments are due:
// whatever is carried through a proxy, and by whichever rules, is carried by one of these.
//
// A proxy derives from it. Its lock guards all that the proxy has; calls of other threads take it,
// act at once, and wake the thread where that has to go on. What the thread was told of is only
// let go in `tidy`, when nobody has it in hand.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/contract/clock.h"
#include "harness/proxy/detail/poller.h"
#include "harness/proxy/detail/timers.h"
#include "harness/proxy/detail/waiter.h"

namespace assay::proxy {

class Loop;

// Where clients come in. Both functions are called by the loop, under its lock.
class Door final : public Waiter {
 public:
  using Enter = std::function<void(Socket client)>;
  using Refuse = std::function<void()>;  // one could not be let in: too many files are open

  // The loop is borrowed. It is watched from now on.
  Door(Loop& loop, Socket socket, Enter enter, Refuse refuse);
  ~Door() override { close(); }
  void ready(std::uint32_t events) override;

  const Socket& socket() const { return socket_; }
  void close();

 private:
  Loop& loop_;
  Socket socket_;
  const Enter enter_;
  const Refuse refuse_;
};

class Loop {
 public:
  explicit Loop(std::unique_ptr<Poller> poller) : poller_(std::move(poller)) {}
  virtual ~Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Poller& poller() { return *poller_; }
  Timers& timers() { return timers_; }
  Moment now() const;

  // It takes nobody any more; it goes with the next `tidy`.
  void shut(std::unique_ptr<Door> door);

 protected:
  // To be called by the constructor and the destructor of whoever derives.
  void begin();
  void end();

  // After each round: under the lock, and nothing that can be told of is in hand.
  virtual void tidy() = 0;
  // Then, without the lock.
  virtual void tell(const std::stop_token&) {}
  // At last, under the lock: every connection and door goes.
  virtual void leave() = 0;

  bool is_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }
  void wake() { poller_->wake(); }

  std::mutex mutex_;

 private:
  friend class Door;

  void run(const std::stop_token& stop);
  void call_due();
  void turn_away(const Socket& listener);

  const std::unique_ptr<Poller> poller_;
  const Stopwatch since_;
  Timers timers_;
  std::vector<std::unique_ptr<Door>> shut_;
  Socket spare_;  // given up for a moment to turn one away where no more files can be opened
  std::jthread thread_;
};

}  // namespace assay::proxy
