// list_loses_page_end: the last job of every full page is not listed.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ListLosesPageEnd final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobPage> list(Instant now, const List& request) override {
    auto page = inner().list(now, request);
    if (page.ok() && page->cursor) page->jobs.pop_back();
    return page;
  }
};

}  // namespace

Mutant list_loses_page_end() {
  return around_memory<ListLosesPageEnd>({
      .name = "list_loses_page_end",
      .rules = {"ADMIN-2"},
      .summary = "the last job of every full page is not listed",
  });
}

}  // namespace assay::mutants
