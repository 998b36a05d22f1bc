// key_scope_ignores_queue: a key excludes the same key in another queue.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class KeyScopeIgnoresQueue final : public Decisions {
 public:
  using Decisions::Decisions;

  std::string key_scope(const Job& job) const override { return *job.key; }
};

}  // namespace

Mutant key_scope_ignores_queue() {
  return within_memory<KeyScopeIgnoresQueue>({
      .name = "key_scope_ignores_queue",
      .rules = {"XIDEMP-1"},
      .summary = "a key excludes the same key in another queue",
  });
}

}  // namespace assay::mutants
