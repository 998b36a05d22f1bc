// events_are_taken_for_announcements: an event is dropped as if it were an announcement that was
// made.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo events_are_taken_for_announcements() {
  return mutant("events_are_taken_for_announcements", {"OUTBOX-5"},
                "an event is dropped as if it were an announcement that was made", [] {
                  Alterations altered;
                  altered.driver.commit = [](const SessionSpec&, Instant now, const Commit& commit,
                                             const Interception::NextCommit& next) {
                    Commit silent = commit;
                    if (!commit.drops.empty()) silent.enqueues.clear();
                    return next(now, silent);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
