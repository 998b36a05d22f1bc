// The catalogue of scenarios: plans written by hand, one file a situation and its variants.
#pragma once

#include <span>
#include <vector>

#include "harness/plan/scenario.h"

namespace assay {

std::span<const Scenario> all_scenarios();
// Those whose plans have workers of an engine.
std::span<const Scenario> engine_scenarios();

namespace scenarios {

std::vector<Scenario> enqueueing();
std::vector<Scenario> scheduling();
std::vector<Scenario> claiming();
std::vector<Scenario> lease_expiry();
std::vector<Scenario> extending();
std::vector<Scenario> fencing();
std::vector<Scenario> repeated_settles();
std::vector<Scenario> failing();
std::vector<Scenario> dead_letters();
std::vector<Scenario> keys();
std::vector<Scenario> ordering();
std::vector<Scenario> listing();
std::vector<Scenario> cancelling();
std::vector<Scenario> pausing();
std::vector<Scenario> refusals();
std::vector<Scenario> hostile();
std::vector<Scenario> racing();
std::vector<Scenario> cutting();
std::vector<Scenario> dying();
std::vector<Scenario> zombies();
std::vector<Scenario> outages();
std::vector<Scenario> failovers();
std::vector<Scenario> shortages();
std::vector<Scenario> partitions();
std::vector<Scenario> wrong_clocks();
// Of an engine.
Scenario of(std::string_view name, std::string_view summary, std::vector<std::string_view> triggers,
            Plan (*plan)(const Profile&), Level level = Level::contract,
            std::string_view needs = "");
std::vector<Scenario> working();
std::vector<Scenario> leaving_outputs();
std::vector<Scenario> flowing();
std::vector<Scenario> announcing();
std::vector<Scenario> processes();
std::vector<Scenario> deciding();
std::vector<Scenario> recurring();

}  // namespace scenarios
}  // namespace assay
