// events_are_not_written_down: a success is committed without the rows of the events that it sends.
#include "engine/mutants/all.h"
#include "engine/outbox.h"

namespace assay::engine::mutants {

EngineInfo events_are_not_written_down() {
  return mutant("events_are_not_written_down", {"OUTBOX-1"},
                "a success is committed without the rows of the events that it sends", [] {
                  Alterations altered;
                  altered.driver.commit = [](const SessionSpec&, Instant now, const Commit& commit,
                                             const Interception::NextCommit& next) {
                    Commit without = commit;
                    std::erase_if(without.puts, [](const Put& put) {
                      const auto row = row_in({put.key, put.value, 1});
                      return put.key.starts_with(outbox_prefix) && row &&
                             row->kind == RowKind::route_event;
                    });
                    return next(now, without);
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
