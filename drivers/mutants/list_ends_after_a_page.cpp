// list_ends_after_a_page: a listing never has a second page.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ListEndsAfterAPage final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobPage> list(Instant now, const List& request) override {
    auto page = inner().list(now, request);
    if (page.ok()) page->cursor.reset();
    return page;
  }
};

}  // namespace

Mutant list_ends_after_a_page() {
  return around_memory<ListEndsAfterAPage>({
      .name = "list_ends_after_a_page",
      .rules = {"ADMIN-2"},
      .summary = "a listing never has a second page",
  });
}

}  // namespace assay::mutants
