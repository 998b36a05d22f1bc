// lives_by_its_own_clock: the time that callers give is ignored.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class LivesByItsOwnClock final : public Decisions {
 public:
  using Decisions::Decisions;

  Instant now(Instant, Instant stores) const override { return stores; }
};

}  // namespace

Mutant lives_by_its_own_clock() {
  return within_memory<LivesByItsOwnClock>({
      .name = "lives_by_its_own_clock",
      .rules = {"XCLOCK-1"},
      .summary = "the time that callers give is ignored",
  });
}

}  // namespace assay::mutants
