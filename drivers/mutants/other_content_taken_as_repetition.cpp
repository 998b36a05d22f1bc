// other_content_taken_as_repetition: an enqueue with a known id and other content is answered with
// success.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class OtherContentTakenAsRepetition final : public Decisions {
 public:
  using Decisions::Decisions;

  bool same_content(const Record&, const NewJob&) const override { return true; }
};

}  // namespace

Mutant other_content_taken_as_repetition() {
  return within_memory<OtherContentTakenAsRepetition>({
      .name = "other_content_taken_as_repetition",
      .rules = {"ENQ-3"},
      .summary = "an enqueue with a known id and other content is answered with success",
  });
}

}  // namespace assay::mutants
