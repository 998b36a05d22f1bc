// Catalogue: drivers, mutants, profiles and scenarios by the names that people type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/rules.h"
#include "harness/plan/scenario.h"

namespace assay {
struct EngineInfo;  // harness/run/engine.h
}

namespace assay::cli {

// The errors are sentences with the nearest names.
Result<DriverInfo> driver_named(const std::string& name);         // "memory", "mutant:NAME"
Result<const EngineInfo*> engine_named(const std::string& name);  // "reference", "mutant:NAME"
Result<Profile> profile_named(const std::string& name);           // a built-in one, or a file.json
Result<Level> level_named(const std::string& name);

std::vector<std::string> driver_names();  // mutants too, as mutant:NAME
std::vector<std::string> built_in_profile_names();

bool applies(const Scenario& scenario, const Profile& profile);

// By a driver of that profile, or by an engine on it.
bool is_promised(const Rule& rule, const Profile& profile);
std::string needs_in_words(const Rule& rule);      // "always", "pause", "A; of an engine: B"
std::string certified_in_words(const Rule& rule);  // "driver", "driver, engine"
bool is_judged(std::string_view rule);
std::vector<std::string> mutants_killed_by(std::string_view rule);
std::vector<std::string> scenarios_that_trigger(std::string_view rule);
std::vector<std::string> profiles_that_promise(const Rule& rule);

}  // namespace assay::cli
