// Runtime: what code that waits, locks or starts others gets all that from, so that the very same
// code runs on threads of the machine, and in virtual time under a schedule
// (harness/schedule/virtual_runtime.h).
//
// Thread-safe, as are tasks and monitors, but that a task is ended by one caller.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "harness/contract/clock.h"

namespace assay {

// Monitor: a mutex and a condition in one. Not recursive.
class Monitor {
 public:
  virtual ~Monitor() = default;

  virtual void lock() = 0;
  virtual void unlock() = 0;

  // Lets others in until somebody notifies or the deadline comes; absent: for as long as it takes.
  // False: the time is up. May return true for no reason. Requires: the caller has the lock, and
  // has it again afterwards.
  virtual bool wait_until(std::optional<Instant> deadline) = 0;

  // One of those who wait, any; or all.
  virtual void notify_one() = 0;
  virtual void notify_all() = 0;
};

// Task: a body that runs beside its starter. Going, it asks the body to stop and waits for its end,
// unless it was let go.
class Task {
 public:
  virtual ~Task() = default;

  virtual void request_stop() = 0;

  // Whether the body has returned by then; absent: waits for as long as it takes.
  [[nodiscard]] virtual bool join_until(std::optional<Instant> deadline) = 0;

  // Nobody waits for it any more. Requires: all that the body still touches lives as long as it.
  virtual void let_go() = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual Clock& clock() = 0;

  // Throws std::system_error where the machine has no more of them to give. The name is for people.
  // Requires: the body throws nothing. A body may outlive the runtime where
  // its task was let go.
  virtual std::unique_ptr<Task> start(std::string name,
                                      std::function<void(std::stop_token)> body) = 0;

  // May outlive the runtime. `name` is a literal, for people.
  virtual std::unique_ptr<Monitor> monitor(const char* name) = 0;
};

// Threads and clock of the machine.
std::unique_ptr<Runtime> real_runtime();

}  // namespace assay
