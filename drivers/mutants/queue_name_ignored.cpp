// queue_name_ignored: a claim looks into every queue there is.
#include <algorithm>

#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class QueueNameIgnored final : public Decisions {
 public:
  using Decisions::Decisions;

  Job stored(const NewJob& given, Instant now) const override {
    if (std::ranges::find(seen_, given.queue) == seen_.end()) seen_.push_back(given.queue);
    return Decisions::stored(given, now);
  }
  std::span<const std::string> queues_of(const Reserve&) const override { return seen_; }

 private:
  mutable std::vector<std::string> seen_;  // under the store's lock, as every decision
};

}  // namespace

Mutant queue_name_ignored() {
  return within_memory<QueueNameIgnored>({
      .name = "queue_name_ignored",
      .rules = {"CLAIM-6"},
      .summary = "a claim looks into every queue there is",
  });
}

}  // namespace assay::mutants
