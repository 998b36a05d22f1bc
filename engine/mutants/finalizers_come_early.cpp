// finalizers_come_early: a chord's last step does not wait for one of its members.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo finalizers_come_early() {
  return mutant("finalizers_come_early", {"FLOW-3"},
                "a chord's last step does not wait for one of its members", [] {
                  Alterations altered;
                  altered.driver.commit = [](const SessionSpec&, Instant now, const Commit& commit,
                                             const Interception::NextCommit& next) {
                    Commit other = commit;
                    for (Count& count : other.counts)
                      if (count.from > 1 && !count.then.empty()) --count.from;
                    return next(now, other);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
