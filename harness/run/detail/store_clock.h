// StoreClock: a store's clock that runs by itself, beside ours: how far apart the two may be is
// measured, not guessed.
#pragma once

#include "harness/contract/clock.h"
#include "harness/contract/driver.h"

namespace assay::detail {

class StoreClock {
 public:
  // Reads both clocks, some times. An error where the store's does not answer, or where the two did
  // not run alike since they were last compared.
  Status compare(Driver& driver);

  // What the store's clock shows now: not less, and not more. Requires: compared.
  Instant earliest() const { return clock_.now() + least_; }
  Instant latest() const { return clock_.now() + most_; }

  // Returns when the store's clock surely shows it.
  void sleep_until(Instant when) { clock_.sleep_until(when - least_, {}); }

 private:
  mutable RealClock clock_;
  bool compared_ = false;
  Duration least_{0}, most_{0};              // that it is ahead of ours
  Duration first_least_{0}, first_most_{0};  // when they were first compared
};

}  // namespace assay::detail
