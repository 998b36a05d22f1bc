// rows_are_written_after_the_change: a row is written in a commit of its own, after the change that
// it speaks of.
#include "engine/mutants/all.h"
#include "engine/outbox.h"

namespace assay::engine::mutants {

EngineInfo rows_are_written_after_the_change() {
  return mutant("rows_are_written_after_the_change", {"OUTBOX-1", "RETRY-10"},
                "a row is written in a commit of its own, after the change that it speaks of", [] {
                  Alterations altered;
                  altered.driver.commit = [](const SessionSpec&, Instant now, const Commit& commit,
                                             const Interception::NextCommit& next) {
                    const bool is_change =
                        commit.settle != CommitSettle{} || !commit.enqueues.empty();
                    Commit change = commit, rows;
                    if (is_change) std::swap(change.puts, rows.puts);
                    auto answer = next(now, change);
                    if (answer.ok() && !rows.puts.empty()) static_cast<void>(next(now, rows));
                    return answer;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
