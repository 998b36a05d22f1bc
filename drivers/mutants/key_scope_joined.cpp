// key_scope_joined: queue and key are joined by a colon, which both may contain.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyScopeJoined final : public Decisions {
 public:
  using Decisions::Decisions;

  std::string key_scope(const Job& job) const override { return job.queue + ":" + *job.key; }
};

}  // namespace

Mutant key_scope_joined() {
  return within_memory<KeyScopeJoined>({
      .name = "key_scope_joined",
      .rules = {"XIDEMP-1"},
      .summary = "queue and key are joined by a colon, which both may contain",
  });
}

}  // namespace assay::mutants
