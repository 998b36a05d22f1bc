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

Scenario scenarios::of(std::string_view name, std::string_view summary,
                       std::vector<std::string_view> triggers, Plan (*plan)(const Profile&),
                       Level level, std::string_view needs) {
  return {name, summary, needs, std::move(triggers), plan, level};
}

std::span<const Scenario> engine_scenarios() {
  static const std::vector<Scenario> all = [] {
    std::vector<Scenario> joined;
    for (auto* part :
         {scenarios::working, scenarios::deciding, scenarios::recurring, scenarios::leaving_outputs,
          scenarios::flowing, scenarios::announcing, scenarios::processes})
      for (Scenario& scenario : part()) joined.push_back(std::move(scenario));
    return joined;
  }();
  return all;
}

}  // namespace assay
