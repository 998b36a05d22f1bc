#include "scenarios/all.h"

namespace assay {

std::span<const Scenario> all_scenarios() {
  static const std::vector<Scenario> all = [] {
    std::vector<Scenario> joined;
    for (auto* part : {scenarios::enqueueing,
                       scenarios::scheduling,
                       scenarios::claiming,
                       scenarios::lease_expiry,
                       scenarios::extending,
                       scenarios::fencing,
                       scenarios::repeated_settles,
                       scenarios::failing,
                       scenarios::dead_letters,
                       scenarios::keys,
                       scenarios::ordering,
                       scenarios::listing,
                       scenarios::cancelling,
                       scenarios::pausing,
                       scenarios::refusals,
                       scenarios::hostile,
                       scenarios::racing,
                       scenarios::cutting,
                       scenarios::dying,
                       scenarios::zombies,
                       scenarios::outages,
                       scenarios::failovers,
                       scenarios::shortages,
                       scenarios::partitions,
                       scenarios::wrong_clocks}) {
      for (Scenario& scenario : part()) joined.push_back(std::move(scenario));
    }
    return joined;
  }();
  return all;
}

std::span<const Scenario> engine_scenarios() {
  static const std::vector<Scenario> all = scenarios::working();
  return all;
}

}  // namespace assay
