#include "drivers/memory/queue.h"

#include <algorithm>
#include <tuple>

namespace assay::memory_queue {

void Queue::stand_in_line(Record& record, OrderKey key, Instant claimable_from) {
  record.in_line = line_.emplace(key, &record);
  record.runnable_before_its_key = claimable_from < key.runnable_at;
  runnable_before_their_key_ += record.runnable_before_its_key;
}

void Queue::hold_lease(Record& record, Instant expires_at) {
  record.in_leases = leases_.emplace(expires_at, &record);
}

void Queue::bury(Record& record) {
  if (!record.dead) return;
  record.in_graves = graves_.try_emplace({record.dead->at, record.job.id}, &record).first;
}

void Queue::withdraw(Record& record) {
  if (record.in_line) {
    line_.erase(*record.in_line);
    runnable_before_their_key_ -= record.runnable_before_its_key;
  }
  if (record.in_leases) leases_.erase(*record.in_leases);
  if (record.in_graves) graves_.erase(*record.in_graves);
  record.in_line.reset();
  record.in_leases.reset();
  record.in_graves.reset();
}

void Queue::strike(const Record& record) {
  const auto found = std::find(jobs_.rbegin(), jobs_.rend(), &record);
  if (found == jobs_.rend()) return;
  if (jobs_.rend() - found <= static_cast<std::ptrdiff_t>(sorted_)) --sorted_;
  jobs_.erase(std::next(found).base());
}

const std::vector<Record*>& Queue::jobs() {
  const auto before = [](const Record* a, const Record* b) {
    return std::tie(a->job.created_at, a->job.id) < std::tie(b->job.created_at, b->job.id);
  };
  const auto middle = jobs_.begin() + static_cast<std::ptrdiff_t>(sorted_);
  std::sort(middle, jobs_.end(), before);
  std::inplace_merge(jobs_.begin(), middle, jobs_.end(), before);
  sorted_ = jobs_.size();
  return jobs_;
}

}  // namespace assay::memory_queue
