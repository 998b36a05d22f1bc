// dead_list_loses_last: the last dead letter is not listed.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class DeadListLosesLast final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<DeadPage> dead(Instant now, const Dead& request) override {
    auto page = inner().dead(now, request);
    if (page.ok() && !page->cursor && !page->entries.empty()) page->entries.pop_back();
    return page;
  }
};

}  // namespace

Mutant dead_list_loses_last() {
  return around_memory<DeadListLosesLast>({
      .name = "dead_list_loses_last",
      .rules = {"DLQ-6"},
      .summary = "the last dead letter is not listed",
  });
}

}  // namespace assay::mutants
