#include "drivers/postgres/detail/watchdog.h"

#include <sys/socket.h>

#include <algorithm>

namespace assay::pg {

// Waits are counted in ticks, so that a clock that jumps ends none.
static constexpr Duration tick_length{100};

void Deadline::watch(int socket) {
  std::lock_guard lock(mutex_);
  socket_ = socket;
  missed_ = false;
}

void Deadline::begin(Duration limit) {
  ticks_left_ = static_cast<int>(std::min<std::int64_t>(limit / tick_length, 1'000'000)) + 2;
}

bool Deadline::end() {
  if (ticks_left_.exchange(0) > 0) return false;
  std::lock_guard lock(mutex_);
  return missed_;
}

// Who waits is woken by the end of the connection.
void Deadline::tick() {
  int left = ticks_left_;
  if (left == 0 || !ticks_left_.compare_exchange_strong(left, left - 1) || left > 1) return;
  std::lock_guard lock(mutex_);
  missed_ = true;
  if (socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
}

Watchdog::Watchdog() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Watchdog::add(Deadline& deadline) {
  std::lock_guard lock(mutex_);
  deadlines_.push_back(&deadline);
}

void Watchdog::remove(Deadline& deadline) {
  std::lock_guard lock(mutex_);
  std::erase(deadlines_, &deadline);
}

void Watchdog::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    never_.wait_for(lock, stop, tick_length, [] { return false; });
    for (Deadline* deadline : deadlines_) deadline->tick();
  }
}

}  // namespace assay::pg
