// resume_changes_nothing: a resumed queue stays paused.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class ResumeChangesNothing final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status resume(Instant, const Resume&) override { return Done{}; }
};

}  // namespace

Mutant resume_changes_nothing() {
  return around_memory<ResumeChangesNothing>({
      .name = "resume_changes_nothing",
      .rules = {"PAUSE-3"},
      .summary = "a resumed queue stays paused",
  });
}

}  // namespace assay::mutants
