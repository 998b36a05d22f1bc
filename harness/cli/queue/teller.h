// Teller: prints lines on a thread of its own, so that nobody who has something to say waits for a
// terminal that is slow, or a pipe that nobody reads.
//
// Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace assay::cli::queue {

class Teller {
 public:
  Teller();
  ~Teller();  // when all is printed

  // What would be too much to keep is left out, and that is said.
  void say(std::string line);
  void flush();  // returns when all that was said is printed

 private:
  void print(const std::stop_token& stop);

  static constexpr std::size_t most_lines = 10'000;

  std::mutex mutex_;
  std::condition_variable_any has_more_, has_printed_;
  std::deque<std::string> lines_;
  std::size_t left_out_ = 0;
  bool is_printing_ = false;
  std::jthread printer_;
};

}  // namespace assay::cli::queue
