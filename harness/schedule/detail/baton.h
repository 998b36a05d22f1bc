// Baton: threads of which one moves at a time: whoever comes to a gate lets the next one go.
//
// A client may also stand, or wait, outside its thread, where somebody else stops it: at the way to
// its store. `Outside` is that somebody.
//
// Thread-safe. Shared by the carrier and its threads: one that hangs keeps it, so that it may still
// wake up.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <vector>

#include "harness/schedule/carrier.h"

namespace assay::scheduling {

enum class WayOut {
  opened,  // one of those who wait outside was made ready all the same
  comes,   // somebody will come back by himself
  none,
};

// Every call is made with the baton's lock held.
class Outside {
 public:
  virtual ~Outside() = default;

  // The client, which stands outside, goes on.
  virtual void go(int client) = 0;

  // Somebody is about to be chosen: whoever waited outside and could go on now is said to be ready.
  // False: one of them is about to be, and must be waited for.
  virtual bool look(Scheduler& scheduler) = 0;

  // Nobody can go on.
  virtual WayOut break_deadlock(Scheduler& scheduler) = 0;

  // Nobody ever will: all who wait outside come back with an error.
  virtual void give_up() = 0;

  // Said from time to time while somebody moves. True: that one is known to be busy outside, so
  // that its silence means nothing yet.
  virtual bool tick(Scheduler& scheduler) = 0;
};

class Baton final : public Gates {
 public:
  struct Client {
    std::binary_semaphore go{0};
    std::function<void()> body;
    bool is_outside = false;  // it is let go there
  };

  bool on() const override;
  void pass(const char* where) override;
  bool wait(const char* for_what, const void* what) override;
  void opened(const void* what) override;

  // The life of a client's thread. The list of clients may grow while it begins: it is told which
  // one is its own.
  void work(Client& client, int number);

  // --- With the lock held ---

  // The client is stopped outside, wherever it was until now.
  void stands_outside(int client, const char* where);

  // Whom it let go, if anybody: the next one, where nobody moves.
  int let_go();

  std::mutex mutex;  // of all but the clients' semaphores and bodies
  std::condition_variable all_done;
  std::vector<std::unique_ptr<Client>> clients;  // grows between runs
  std::optional<Scheduler> scheduler;            // while there is a run
  Outside* outside = nullptr;                    // borrowed
  Explored explored;
  bool giving_up = false;
  std::atomic<bool> over = true;  // no run is on
  std::atomic<bool> closing = false;

 private:
  void stand(std::unique_lock<std::mutex>& lock);
  std::optional<int> way_out();

  // Who the calling thread is.
  static thread_local const Baton* of;
  static thread_local int me;
};

}  // namespace assay::scheduling
