// list_repeats_pages: a page begins with the last job of the page before.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ListRepeatsPages final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobPage> list(Instant now, const List& request) override {
    auto page = inner().list(now, request);
    if (!page.ok()) return page;
    if (request.cursor && last_) page->jobs.insert(page->jobs.begin(), *last_);
    if (!page->jobs.empty()) last_ = page->jobs.back();
    return page;
  }

 private:
  std::optional<Job> last_;
};

}  // namespace

Mutant list_repeats_pages() {
  return around_memory<ListRepeatsPages>({
      .name = "list_repeats_pages",
      .rules = {"XADMIN-2"},
      .summary = "a page begins with the last job of the page before",
  });
}

}  // namespace assay::mutants
