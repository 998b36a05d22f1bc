// a_flow_is_kept_in_memory: who counts the ends of a flow is its worker, and not the store.
#include <set>
#include <utility>

#include "engine/mutants/all.h"

namespace assay::engine::mutants {

EngineInfo a_flow_is_kept_in_memory() {
  return mutant(
      "a_flow_is_kept_in_memory", {"FLOW-4", "FLOW-5"},
      "who counts the ends of a flow is its worker, and not the store", [] {
        Alterations altered;
        using Counts = std::map<std::string, std::set<std::string>>;
        altered.driver.commit = [counted = std::make_shared<Counts>()](
                                    const SessionSpec&, Instant now, const Commit& commit,
                                    const Interception::NextCommit& next) {
          Commit other = commit;
          std::vector<Counted> answers;
          for (const Count& count : std::exchange(other.counts, {})) {
            auto& marks = (*counted)[count.key];
            const bool is_new = marks.insert(count.once).second;
            const std::int64_t left =
                std::max<std::int64_t>(count.from - static_cast<std::int64_t>(marks.size()), 0);
            if (is_new && left == 0)
              other.enqueues.insert(other.enqueues.end(), count.then.begin(), count.then.end());
            answers.push_back({left, is_new, {}});
          }
          auto done = next(now, other);
          if (done.ok()) done->counts = std::move(answers);
          return done;
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
