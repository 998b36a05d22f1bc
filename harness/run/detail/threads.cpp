#include "harness/run/detail/threads.h"

namespace assay::detail {

Threads::~Threads() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  begun_.notify_all();
}

void Threads::run(std::span<const std::function<void()>> bodies) {
  while (threads_.size() < bodies.size())
    threads_.emplace_back([this, number = threads_.size(), last = round_] { work(number, last); });
  std::unique_lock lock(mutex_);
  bodies_ = bodies;
  at_work_ = bodies.size();
  ++round_;
  begun_.notify_all();
  ended_.wait(lock, [&] { return at_work_ == 0; });
}

void Threads::work(std::size_t number, std::uint64_t last_round) {
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [&] { return is_over_ || round_ != last_round; });
    if (is_over_) return;
    last_round = round_;
    if (number >= bodies_.size()) continue;
    lock.unlock();
    bodies_[number]();
    lock.lock();
    if (--at_work_ == 0) ended_.notify_one();
  }
}

}  // namespace assay::detail
