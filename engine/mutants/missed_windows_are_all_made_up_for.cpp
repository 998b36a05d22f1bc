// missed_windows_are_all_made_up_for: each window that nobody saw makes a job, whatever was
// declared.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo missed_windows_are_all_made_up_for() {
  EngineInfo info = mutant("missed_windows_are_all_made_up_for", {"XCRON-1"},
                           "each window that nobody saw makes a job, whatever was declared",
                           [] { return Alterations{}; });
  info.schedule = [right = info.schedule](Clock& clock, Session& session,
                                          const ScheduleOrder& order) {
    ScheduleOrder all = order;
    all.recurring.missed = Recurring::Missed::catch_up;
    all.recurring.bound = 100;
    return right(clock, session, all);
  };
  return info;
}

}  // namespace assay::engine::mutants
