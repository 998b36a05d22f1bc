// done_listed_ready: a listing shows done jobs as ready.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class DoneListedReady final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobPage> list(Instant now, const List& request) override {
    auto page = inner().list(now, request);
    if (!page.ok()) return page;
    for (Job& job : page->jobs)
      if (job.state == JobState::done) job.state = JobState::ready;
    return page;
  }
};

}  // namespace

Mutant done_listed_ready() {
  return around_memory<DoneListedReady>({
      .name = "done_listed_ready",
      .rules = {"XADMIN-1"},
      .summary = "a listing shows done jobs as ready",
  });
}

}  // namespace assay::mutants
