// held_listed_ready: a listing shows held jobs as ready.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class HeldListedReady final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobPage> list(Instant now, const List& request) override {
    auto page = inner().list(now, request);
    if (!page.ok()) return page;
    for (Job& job : page->jobs)
      if (job.state == JobState::leased) job.state = JobState::ready;
    return page;
  }
};

}  // namespace

Mutant held_listed_ready() {
  return around_memory<HeldListedReady>({
      .name = "held_listed_ready",
      .rules = {"XADMIN-1", "STATE-2"},
      .summary = "a listing shows held jobs as ready",
  });
}

}  // namespace assay::mutants
