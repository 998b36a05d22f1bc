// Watchdog: ends connections whose server does not answer. A server that was stopped, or that a
// network swallowed, never says that it is gone, and libpq would wait for it for ever.
//
// Deadline: what the watchdog knows of one connection. Both are thread-safe; a watchdog outlives
// the deadlines that it watches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "harness/contract/time.h"

namespace assay::pg {

class Deadline {
 public:
  // The connection's socket, while it is open; -1 before it is closed.
  void watch(int socket);

  // A wait begins, and ends. Whether it took longer than it may.
  void begin(Duration limit);
  bool end();

 private:
  friend class Watchdog;
  void tick();

  std::atomic<int> ticks_left_ = 0;  // of a wait; 0 while there is none
  std::mutex mutex_;                 // of the two below
  int socket_ = -1;
  bool missed_ = false;
};

class Watchdog {
 public:
  Watchdog();

  // The deadline is borrowed until it is removed.
  void add(Deadline& deadline);
  void remove(Deadline& deadline);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any never_;
  std::vector<Deadline*> deadlines_;
  std::jthread thread_;  // goes first
};

}  // namespace assay::pg
