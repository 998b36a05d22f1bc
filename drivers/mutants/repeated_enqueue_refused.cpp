// repeated_enqueue_refused: the very same enqueue made again is refused as a duplicate.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class RepeatedEnqueueRefused final : public Decisions {
 public:
  using Decisions::Decisions;

  bool same_content(const Record&, const NewJob&) const override { return false; }
};

}  // namespace

Mutant repeated_enqueue_refused() {
  return within_memory<RepeatedEnqueueRefused>({
      .name = "repeated_enqueue_refused",
      .rules = {"AVAIL-2"},
      .summary = "the very same enqueue made again is refused as a duplicate",
  });
}

}  // namespace assay::mutants
