#include "harness/cli/queue/teller.h"

#include <fmt/format.h>

#include <iostream>
#include <utility>

namespace assay::cli::queue {

Teller::Teller() : printer_([this](const std::stop_token& stop) { print(stop); }) {}

Teller::~Teller() {
  printer_.request_stop();
  printer_.join();
}

void Teller::say(std::string line) {
  const std::lock_guard lock(mutex_);
  if (lines_.size() >= most_lines) {
    ++left_out_;
    return;
  }
  lines_.push_back(std::move(line));
  has_more_.notify_one();
}

void Teller::flush() {
  std::unique_lock lock(mutex_);
  has_printed_.wait(lock, [this] { return lines_.empty() && !is_printing_; });
}

void Teller::print(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_more_.wait(lock, stop, [this] { return !lines_.empty(); });
    if (lines_.empty()) return;
    const auto lines = std::exchange(lines_, {});
    const std::size_t left_out = std::exchange(left_out_, 0);
    is_printing_ = true;
    lock.unlock();
    for (const std::string& line : lines) std::cout << line << '\n';
    if (left_out > 0)
      std::cerr << fmt::format("assay: {} lines came too fast and were left out\n", left_out);
    std::cout << std::flush;
    lock.lock();
    is_printing_ = false;
    has_printed_.notify_all();
  }
}

}  // namespace assay::cli::queue
