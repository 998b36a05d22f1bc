// Chunks: room for many small pieces of memory of all sizes. What is given back is used again for
// pieces of its size; all else is freed together with the chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace assay {

class Chunks {
 public:
  char* take(std::size_t size) {
    const std::size_t steps = steps_of(size);
    if (steps < unused_.size() && unused_[steps]) return take_unused(steps);
    if (steps * step > left_) add_block(steps * step);
    char* const taken = free_;
    free_ += steps * step;
    left_ -= steps * step;
    return taken;
  }

  // Requires: it was taken with that size.
  void give_back(char* piece, std::size_t size) {
    const std::size_t steps = steps_of(size);
    if (steps >= unused_.size()) unused_.resize(steps + 1);
    std::memcpy(piece, &unused_[steps], sizeof(char*));
    unused_[steps] = piece;
  }

 private:
  static constexpr std::size_t step = sizeof(char*), block_size = 64 * 1024;

  static std::size_t steps_of(std::size_t size) {
    return std::max<std::size_t>(1, (size + step - 1) / step);
  }
  char* take_unused(std::size_t steps) {
    char* const taken = unused_[steps];
    std::memcpy(&unused_[steps], taken, sizeof(char*));
    return taken;
  }
  void add_block(std::size_t at_least) {
    left_ = std::max(block_size, at_least);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
    free_ = blocks_.back().get();
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;  // in the last block
  std::size_t left_ = 0;
  std::vector<char*> unused_;  // by size: the last that was given back, which begins with the next
};

}  // namespace assay
