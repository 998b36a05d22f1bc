// Gates: where a driver in this process lets the harness decide who moves next.
//
// A driver that takes part passes a gate wherever another client may come in between: before it
// takes a lock, before each statement. Between two gates it moves alone. Outside an explored part
// of a run, and on threads that are no client's, every gate is open.
//
// Thread-safe.
#pragma once

#include <mutex>
#include <system_error>

namespace assay {

class Gates {
 public:
  virtual ~Gates() = default;

  // Whether the caller is a client whose moves are decided now.
  virtual bool on() const = 0;

  // Returns when the caller may go on. `where` is a literal, for people.
  virtual void pass(const char* where) = 0;

  // The caller cannot go on before somebody else did something: returns when it may try again.
  // False: nobody ever will, and the call must end in an error. `on` is what it waits for, as
  // `opened` names it; null: anything at all. Requires: on().
  [[nodiscard]] virtual bool wait(const char* for_what, const void* on) = 0;
  virtual void opened(const void* on) = 0;
};

// GateMutex: a mutex whose taking is a gate. Without gates, a plain one.
class GateMutex {
 public:
  // The gates are borrowed for life; null: none. `name` is a literal, for people.
  explicit GateMutex(Gates* gates, const char* name) : gates_(gates), name_(name) {}

  // Whether the caller's taking of it is decided now.
  bool is_gate() const { return gates_ && gates_->on(); }

  // Throws std::system_error where clients wait for each other in a ring.
  void lock() {
    if (!is_gate()) return mutex_.lock();
    gates_->pass(name_);
    while (!mutex_.try_lock())
      if (!gates_->wait(name_, this))
        throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                                name_);
  }
  void unlock() {
    mutex_.unlock();
    if (gates_) gates_->opened(this);
  }

 private:
  Gates* const gates_;
  const char* const name_;
  std::mutex mutex_;
};

}  // namespace assay
