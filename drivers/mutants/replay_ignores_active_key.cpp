// replay_ignores_active_key: a replay is accepted while another job holds the key.
#include "drivers/mutants/deciding.h"

namespace assay::mutants {

namespace {

class ReplayIgnoresActiveKey final : public Decisions {
 public:
  using Decisions::Decisions;

  bool key_is_free_for_replay(const Record&, const Record*) const override { return true; }
};

}  // namespace

Mutant replay_ignores_active_key() {
  return within_memory<ReplayIgnoresActiveKey>({
      .name = "replay_ignores_active_key",
      .rules = {"IDEMP-8"},
      .summary = "a replay is accepted while another job holds the key",
      .profile = "upnext",
  });
}

}  // namespace assay::mutants
