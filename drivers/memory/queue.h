// Queue: the indices of one queue of the memory store: the line of claimable jobs, the leases by
// expiry, the dead letters, and all of its jobs in the order in which listings show them.
#pragma once

#include <vector>

#include "drivers/memory/record.h"

namespace assay::memory_queue {

class Queue {
 public:
  bool paused = false;

  void stand_in_line(Record& record, OrderKey key, Instant claimable_from);
  void hold_lease(Record& record, Instant expires_at);
  void bury(Record& record);
  // Takes the record out of the line, the leases and the dead letters.
  void withdraw(Record& record);

  // The first in line that `eligible` accepts, or null.
  template <class Eligible>
  Record* first(Instant now, Eligible eligible) {
    for (auto it = line_.begin(); it != line_.end();) {
      if (eligible(*it->second)) return it->second;
      // Nobody behind it in its rank is runnable yet, unless somebody was handed a run time before
      // its creation and the caller's clock is behind its creator's.
      const bool rest_of_rank_waits =
          it->first.runnable_at > now && runnable_before_their_key_ == 0;
      it = rest_of_rank_waits ? line_.lower_bound({it->first.rank + 1, Instant::min(), INT64_MIN})
                              : std::next(it);
    }
    return nullptr;
  }

  // The lease that ends first, or null.
  Record* next_to_expire() { return leases_.empty() ? nullptr : leases_.begin()->second; }

  void enlist(Record& record) { jobs_.push_back(&record); }
  void strike(const Record& record);  // as if it had never been enlisted
  // In the order of (created_at, id).
  const std::vector<Record*>& jobs();
  const Graves& graves() const { return graves_; }

 private:
  Line line_;
  Leases leases_;
  Graves graves_;
  std::vector<Record*> jobs_;
  std::size_t sorted_ = 0;  // the first so many of jobs_ are in order
  std::int64_t runnable_before_their_key_ = 0;
};

}  // namespace assay::memory_queue
