// Ordered: a set whose elements come in order. They lie together in runs, so that adding at the end
// and taking from the front are quick, and nothing is slow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay {

template <class T>
class Ordered {
  using Runs = std::vector<std::vector<T>>;

 public:
  class Iterator {
   public:
    const T& operator*() const { return (*runs_)[run_][at_]; }
    const T* operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == (*runs_)[run_].size()) ++run_, at_ = 0;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    friend class Ordered;
    Iterator(const Runs& runs, std::size_t run, std::size_t at)
        : runs_(&runs), run_(run), at_(at) {}
    const Runs* runs_;
    std::size_t run_, at_;
  };

  bool empty() const { return runs_.empty(); }
  std::size_t size() const { return size_; }
  const T& back() const { return runs_.back().back(); }
  Iterator begin() const { return {runs_, 0, 0}; }
  Iterator end() const { return {runs_, runs_.size(), 0}; }

  // The first that is not less.
  Iterator lower_bound(const T& value) const {
    if (runs_.empty()) return end();
    const std::size_t run = run_for(value);
    const auto at = std::ranges::lower_bound(runs_[run], value) - runs_[run].begin();
    const auto place = static_cast<std::size_t>(at);
    return place == runs_[run].size() ? Iterator{runs_, run + 1, 0} : Iterator{runs_, run, place};
  }

  void insert(const T& value) {
    if (runs_.empty() || runs_.back().back() < value) return append(value);
    const std::size_t run = run_for(value);
    auto& items = runs_[run];
    const auto at = std::ranges::lower_bound(items, value);
    if (at != items.end() && *at == value) return;
    items.insert(at, value);
    ++size_;
    if (items.size() <= 2 * run_size) return;
    std::vector<T> rest(items.begin() + run_size, items.end());
    items.resize(run_size);
    runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(run) + 1, std::move(rest));
  }

  void erase(const T& value) {
    if (runs_.empty()) return;
    const std::size_t run = run_for(value);
    auto& items = runs_[run];
    const auto at = items.front() == value ? items.begin() : std::ranges::lower_bound(items, value);
    if (at == items.end() || *at != value) return;
    items.erase(at);
    --size_;
    if (!items.empty()) return;
    spare_ = std::move(items);
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(run));
  }

 private:
  static constexpr std::size_t run_size = 64;

  void append(const T& value) {
    if (runs_.empty() || runs_.back().size() >= run_size) runs_.push_back(std::move(spare_));
    runs_.back().push_back(value);
    ++size_;
  }

  // The last that begins with no more than it; the first where there is none.
  std::size_t run_for(const T& value) const {
    if (runs_.size() == 1 || value < runs_[1].front()) return 0;
    const auto after = std::ranges::upper_bound(
        runs_, value, {}, [](const std::vector<T>& run) -> const T& { return run.front(); });
    return after == runs_.begin() ? 0 : static_cast<std::size_t>(after - runs_.begin()) - 1;
  }

  Runs runs_;             // none is empty
  std::vector<T> spare_;  // empty, with the room of one that was: many a set is empty now and then
  std::size_t size_ = 0;
};

}  // namespace assay
