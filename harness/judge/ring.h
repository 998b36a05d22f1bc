// Ring: a queue whose elements lie together, in the order in which they came; it grows as needed.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace assay {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t place) { return items_[(first_ + place) & mask()]; }
  const T& operator[](std::size_t place) const { return items_[(first_ + place) & mask()]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ == items_.size()) grow();
    items_[(first_ + size_++) & mask()] = std::move(value);
  }
  void pop_front() { ++first_, --size_; }
  void pop_back() { --size_; }

 private:
  std::size_t mask() const { return items_.size() - 1; }
  [[gnu::cold]] void grow() {
    std::vector<T> wider(items_.empty() ? 16 : items_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) wider[i] = std::move((*this)[i]);
    items_.swap(wider);
    first_ = 0;
  }

  std::vector<T> items_;  // a power of two of them
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace assay
