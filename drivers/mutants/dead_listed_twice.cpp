// dead_listed_twice: a dead letter is listed twice.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class DeadListedTwice final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<DeadPage> dead(Instant now, const Dead& request) override {
    auto page = inner().dead(now, request);
    if (page.ok() && !page->entries.empty()) page->entries.push_back(page->entries.front());
    return page;
  }
};

}  // namespace

Mutant dead_listed_twice() {
  return around_memory<DeadListedTwice>({
      .name = "dead_listed_twice",
      .rules = {"DLQ-9"},
      .summary = "a dead letter is listed twice",
  });
}

}  // namespace assay::mutants
