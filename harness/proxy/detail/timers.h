// Timers: what a loop is to do later, and when.
//
// Not thread-safe: the loop's lock guards it.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <utility>

namespace assay::proxy {

// Since the loop began.
using Moment = std::chrono::microseconds;

class Timers;

// Somebody who may be called at a moment, one at a time.
class Timed {
 public:
  virtual ~Timed() = default;
  virtual void due() = 0;

 private:
  friend class Timers;
  std::optional<Moment> when_;
};

class Timers {
 public:
  // In place of what was set before. Requires: nothing is set any more when `who` goes.
  void set(Timed& who, std::optional<Moment> when) {
    if (who.when_ == when) return;
    if (who.when_) set_.erase({*who.when_, &who});
    who.when_ = when;
    if (when) set_.insert({*when, &who});
  }

  std::optional<Moment> first() const {
    if (set_.empty()) return std::nullopt;
    return set_.begin()->first;
  }

  // One whose moment has come; it is not set any more. Null: none.
  Timed* take(Moment now) {
    if (set_.empty() || set_.begin()->first > now) return nullptr;
    Timed* who = set_.begin()->second;
    set(*who, std::nullopt);
    return who;
  }

 private:
  std::set<std::pair<Moment, Timed*>> set_;
};

}  // namespace assay::proxy
