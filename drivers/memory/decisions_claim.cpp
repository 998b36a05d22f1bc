// The answers about claims and leases.
#include <algorithm>

#include "drivers/memory/decisions.h"

namespace assay::memory_queue {

Instant Decisions::claimable_from(const Record& record) const {
  return record.job.run_at.value_or(Instant::min());
}

bool Decisions::stands_in_line(Stage stage) const { return stage == Stage::waiting; }

OrderKey Decisions::order_of(const Record& record) const {
  const Instant from = record.stage == Stage::leased && record.lease ? record.lease->expires_at
                                                                     : claimable_from(record);
  return {profile_.has("priority") ? -record.job.priority : 0,
          std::max(*record.job.created_at, from), record.sequence};
}

std::span<const std::string> Decisions::queues_of(const Reserve& request) const {
  return request.queues;
}

bool Decisions::holds_back(bool paused) const { return paused; }

static bool is_over(LeaseEdge edge, Instant expires_at, Instant now) {
  return edge == LeaseEdge::dead_at_equal ? expires_at <= now : expires_at < now;
}

bool Decisions::may_reclaim(const Record& record, Instant now) const {
  return is_over(profile_.lease_edge, record.lease->expires_at, now);
}

bool Decisions::lease_is_over(const Record& record, Instant now) const {
  return is_over(profile_.lease_edge, record.lease->expires_at, now);
}

// A lost lease that counts is a failure like any other: of the run under way where the counter
// numbers the runs, else of its own count, so that a job that kills its workers ends too.
Outcome Decisions::on_expiry(const Record& record, Instant now, Random& jitter) const {
  Outcome after = outcome_without_change(record);
  if (profile_.expiry_counts == ExpiryCounts::no && profile_.expiry_to == ExpiryTo::ready_now)
    return after;  // stays with its lost holder until somebody claims it

  after.stage = Stage::waiting;
  std::int64_t losses = 1;
  if (profile_.expiry_counts == ExpiryCounts::yes) {
    const bool numbered = profile_.counter == Counter::attempt_no;
    losses = numbered ? record.job.attempts : ++after.lease_losses;
    if (losses >= runs_allowed(record)) {
      after.stage = Stage::dead;
      after.last_error = "lease expired";
      after.dead = DeadView{"lease expired", "lease expired", now};
      return after;
    }
    if (numbered) {
      after.attempts += 1;
      after.last_error = "lease expired";
    }
  }
  after.run_at = profile_.expiry_to == ExpiryTo::backoff ? later(now, backoff(losses, jitter))
                                                         : std::min(record.lease->expires_at, now);
  return after;
}

Token Decisions::token_for(const Record&, std::uint64_t number, Random& random) const {
  return "t" + std::to_string(number) + "-" + random.hex(12);
}

std::int64_t Decisions::version_after_claim(const Record& record) const {
  return record.version + 1;
}

std::int64_t Decisions::attempts_after_claim(const Record& record) const {
  return record.job.attempts + (profile_.counter == Counter::starts ? 1 : 0);
}

Instant Decisions::expiry_of_lease(Instant now, Duration lease) const { return later(now, lease); }

std::string Decisions::holder(const Reserve& request) const { return request.worker; }

}  // namespace assay::memory_queue
