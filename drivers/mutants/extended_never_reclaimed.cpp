// extended_never_reclaimed: a lease that was ever extended is never taken over.
#include <set>

#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ExtendedNeverReclaimed final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant extended_expiry(const Record& record, Instant now, Duration lease) const override {
    extended_.insert(record.lease->token);
    return Decisions::extended_expiry(record, now, lease);
  }
  bool may_reclaim(const Record& record, Instant now) const override {
    return !extended_.contains(record.lease->token) && Decisions::may_reclaim(record, now);
  }

 private:
  mutable std::set<Token> extended_;  // under the store's lock, as every decision
};

}  // namespace

Mutant extended_never_reclaimed() {
  return within_memory<ExtendedNeverReclaimed>({
      .name = "extended_never_reclaimed",
      .rules = {"HB-5"},
      .summary = "a lease that was ever extended is never taken over",
  });
}

}  // namespace assay::mutants
