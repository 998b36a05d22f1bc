// only_first_queue_searched: a claim on several queues looks into the first only.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class OnlyFirstQueueSearched final : public Decisions {
 public:
  using Decisions::Decisions;

  std::span<const std::string> queues_of(const Reserve& request) const override {
    return Decisions::queues_of(request).first(1);
  }
};

}  // namespace

Mutant only_first_queue_searched() {
  return within_memory<OnlyFirstQueueSearched>({
      .name = "only_first_queue_searched",
      .rules = {"CLAIM-7"},
      .summary = "a claim on several queues looks into the first only",
  });
}

}  // namespace assay::mutants
