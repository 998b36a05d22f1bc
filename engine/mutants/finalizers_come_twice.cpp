// finalizers_come_twice: what follows from several ends is enqueued once more by its own call.
#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo finalizers_come_twice() {
  return mutant("finalizers_come_twice", {"XFLOW-3"},
                "what follows from several ends is enqueued once more by its own call", [] {
                  Alterations altered;
                  altered.driver.commit = [](const SessionSpec&, Instant now, const Commit& commit,
                                             const Interception::NextCommit& next) {
                    auto done = next(now, commit);
                    for (std::size_t i = 0; done.ok() && i < done->counts.size(); ++i) {
                      if (done->counts[i].then.empty() || commit.counts[i].from == 1) continue;
                      Commit again;
                      again.enqueues = commit.counts[i].then;
                      for (Enqueue& one : again.enqueues) *one.job.id += "-again";
                      for (Enqueue& one : again.enqueues) one.job.key.reset();
                      static_cast<void>(next(now, again));
                    }
                    return done;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
