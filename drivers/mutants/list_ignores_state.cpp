// list_ignores_state: a listing by state shows the jobs of every state.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ListIgnoresState final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Result<JobPage> list(Instant now, const List& request) override {
    List all = request;
    all.state.reset();
    return inner().list(now, all);
  }
};

}  // namespace

Mutant list_ignores_state() {
  return around_memory<ListIgnoresState>({
      .name = "list_ignores_state",
      .rules = {"ADMIN-2"},
      .summary = "a listing by state shows the jobs of every state",
  });
}

}  // namespace assay::mutants
