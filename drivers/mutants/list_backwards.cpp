// list_backwards: a page lists its jobs in the wrong order.
#include <algorithm>

#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ListBackwards final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobPage> list(Instant now, const List& request) override {
    auto page = inner().list(now, request);
    if (page.ok()) std::ranges::reverse(page->jobs);
    return page;
  }
};

}  // namespace

Mutant list_backwards() {
  return around_memory<ListBackwards>({
      .name = "list_backwards",
      .rules = {"XADMIN-2"},
      .summary = "a page lists its jobs in the wrong order",
  });
}

}  // namespace assay::mutants
