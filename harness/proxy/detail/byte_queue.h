// ByteQueue: bytes that came and were not taken yet.
#pragma once

#include <string>
#include <string_view>

namespace assay::proxy {

class ByteQueue {
 public:
  std::string_view view() const { return std::string_view(bytes_).substr(begin_); }
  std::size_t size() const { return bytes_.size() - begin_; }
  bool empty() const { return size() == 0; }

  void append(std::string_view bytes) { bytes_.append(bytes); }

  // The first ones go.
  void drop(std::size_t count) {
    begin_ += count;
    if (begin_ == bytes_.size()) clear();
  }

  // Those from `at` on become others.
  void replace(std::size_t at, std::size_t count, std::string_view by) {
    bytes_.replace(begin_ + at, count, by);
  }

  // A large one does not keep its room.
  void clear() {
    begin_ = 0;
    if (bytes_.capacity() > largest_kept)
      bytes_ = {};
    else
      bytes_.clear();
  }

  // What was taken long ago is not carried along.
  void tidy() {
    if (begin_ < largest_kept) return;
    bytes_.erase(0, begin_);
    begin_ = 0;
  }

 private:
  static constexpr std::size_t largest_kept = 1 << 20;

  std::string bytes_;
  std::size_t begin_ = 0;
};

}  // namespace assay::proxy
