// Scenario: a plan written by hand, with the rules whose triggers it must hit.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/contract/rules.h"
#include "harness/plan/plan.h"

namespace assay {

struct Scenario {
  std::string_view name;     // "late_ack_is_refused"
  std::string_view summary;  // one sentence
  std::string_view needs;    // when it makes sense: as Rule::needs
  std::vector<std::string_view>
      triggers;  // rule ids: each that applies to the profile must be triggered
  Plan (*plan)(const Profile& profile);
  Level level = Level::contract;  // from which on it is run
  bool swept = false;  // then also once for each point at which one of its clients can be cut off
};

}  // namespace assay
