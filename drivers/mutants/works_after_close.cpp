// works_after_close: a closed session goes on working.
#include "drivers/mutants/forwarding.h"

namespace assay::mutants {

namespace {

class WorksAfterClose final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;

  Status close() override { return Done{}; }
};

}  // namespace

Mutant works_after_close() {
  return around_memory<WorksAfterClose>({
      .name = "works_after_close",
      .rules = {"XCLOSE-1"},
      .summary = "a closed session goes on working",
  });
}

}  // namespace assay::mutants
