// claim_on_nameless_queue_accepted: a claim on a queue with an empty name finds nothing instead of
// being refused.
#include <algorithm>

#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ClaimOnNamelessQueueAccepted final : public Decisions {
 public:
  using Decisions::Decisions;

  Objection refuses_claim(const Reserve& request) const override {
    const bool nameless = std::ranges::any_of(request.queues, &std::string::empty);
    return nameless ? std::nullopt : Decisions::refuses_claim(request);
  }
};

}  // namespace

Mutant claim_on_nameless_queue_accepted() {
  return within_memory<ClaimOnNamelessQueueAccepted>({
      .name = "claim_on_nameless_queue_accepted",
      .rules = {"XVAL-3"},
      .summary = "a claim on a queue with an empty name finds nothing instead of being refused",
  });
}

}  // namespace assay::mutants
