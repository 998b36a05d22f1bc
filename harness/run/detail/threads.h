// Threads: runs some bodies at once, each on a thread of its own, again and again. The threads stay
// in between: to make one and to end it costs more than some of the calls that are made on it.
//
// Not thread-safe: one round at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace assay::detail {

class Threads {
 public:
  Threads() = default;
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Returns when all have ended.
  void run(std::span<const std::function<void()>> bodies);

 private:
  void work(std::size_t number, std::uint64_t last_round);

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  std::uint64_t round_ = 0;
  std::span<const std::function<void()>> bodies_;  // of the round
  std::size_t at_work_ = 0;                        // so many of them have not ended
  bool is_over_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace assay::detail
