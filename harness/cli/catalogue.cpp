#include "harness/cli/catalogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "drivers/all.h"
#include "drivers/mutants/all.h"
#include "engine/under_test.h"
#include "harness/cli/usage.h"
#include "harness/contract/profile_json.h"
#include "harness/judge/property.h"
#include "properties/all.h"
#include "reports/file.h"
#include "reports/terminal.h"
#include "scenarios/all.h"

namespace assay::cli {

static constexpr std::string_view mutant_prefix = "mutant:";

std::vector<std::string> driver_names() {
  std::vector<std::string> names;
  for (const DriverInfo& driver : all_drivers()) names.push_back(driver.name);
  for (const Mutant& mutant : all_mutants())
    names.push_back(fmt::format("{}{}", mutant_prefix, mutant.name));
  return names;
}

// "sqlite:FILE", "sqlite:///FILE": the store is not part of the name.
static std::optional<Error> store_in_name(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string driver = name.substr(0, colon);
  if (std::ranges::find(all_drivers(), driver, &DriverInfo::name) == all_drivers().end())
    return std::nullopt;
  std::string url = name.substr(colon + 1);
  if (url.starts_with("//")) url.erase(0, 2);
  if (url.empty()) return unknown("driver", name, {driver}, "a driver's name has no colon");
  return invalid(
      fmt::format("there is no driver `{}`; a driver's store is named apart: "
                  "`assay certify {} --driver-url {}`",
                  name, driver, shell_quoted(url)));
}

Result<DriverInfo> driver_named(const std::string& name) {
  for (const DriverInfo& driver : all_drivers())
    if (driver.name == name) return driver;
  for (const Mutant& mutant : all_mutants()) {
    if (fmt::format("{}{}", mutant_prefix, mutant.name) != name) continue;
    DriverInfo driver = mutant.driver();
    driver.default_profile = std::string(mutant.profile);
    return driver;
  }
  if (auto wrong = store_in_name(name)) return std::move(*wrong);
  const bool mutant = name.starts_with(mutant_prefix);
  std::vector<std::string> known = driver_names();
  for (const Mutant& other : all_mutants())
    if (other.name == name)
      return unknown("driver", name, {std::string(mutant_prefix) + name},
                     "a mutant is named with its prefix");
  return unknown("driver", name, known,
                 mutant ? "`assay list mutants` lists them" : "`assay list drivers` lists them");
}

Result<const EngineInfo*> engine_named(const std::string& name) {
  std::vector<std::string> known;
  for (const EngineInfo& engine : engine::all_engines()) {
    if (engine.name == name) return &engine;
    known.push_back(engine.name);
  }
  return unknown("engine", name, known, "`assay list engines` lists them");
}

std::vector<std::string> built_in_profile_names() {
  return {profile_names().begin(), profile_names().end()};
}

Result<Profile> profile_named(const std::string& name) {
  if (std::optional<Profile> built_in = built_in_profile(name)) return *built_in;
  const bool inline_json = name.starts_with('{');
  const bool file = inline_json || name.ends_with(".json") || name.find('/') != std::string::npos;
  if (!file)
    return unknown("profile", name, built_in_profile_names(),
                   "`assay list profiles` lists them; a profile of your own is a file.json");
  Result<std::string> text = inline_json ? Result<std::string>(name) : files::read_whole(name);
  if (!text) return invalid(fmt::format("the profile: {}", text.error().message));
  Result<Profile> profile = profile_from_json(*text);
  if (!profile) return invalid(fmt::format("the profile {}: {}", name, profile.error().message));
  if (const auto strange = unknown_profile_fields(*text); !strange.empty()) {
    std::vector<std::string> knobs_known;
    for (const Knob& knob : knobs()) knobs_known.emplace_back(knob.name);
    return unknown("field of a profile", strange.front(), knobs_known,
                   "`assay list knobs` lists the knobs; docs/contract.md has the numbers");
  }
  return profile;
}

Result<Level> level_named(const std::string& name) {
  if (std::optional<Level> level = level_from(name)) return *level;
  return unknown("level", name, {"contract", "concurrency", "chaos", "durability"},
                 "the levels are contract, concurrency, chaos and durability");
}

bool applies(const Scenario& scenario, const Profile& profile) {
  Rule rule{};
  rule.needs = scenario.needs;
  return assay::applies(rule, profile);
}

bool is_promised(const Rule& rule, const Profile& profile) {
  return assay::applies(rule, profile) ||
         (concerns(rule, Certifies::engine) && assay::applies(rule, profile, Certifies::engine));
}

std::string needs_in_words(const Rule& rule) {
  std::string words(rule.needs.empty() ? "always" : rule.needs);
  if (!rule.engine_needs.empty()) words += fmt::format("; of an engine: {}", rule.engine_needs);
  return words;
}

std::string certified_in_words(const Rule& rule) {
  std::string words(name_of(rule.certifies));
  return rule.engine_needs.empty() ? words : words + ", engine";
}

bool is_judged(std::string_view rule) {
  return std::ranges::any_of(all_properties(), [&](const Property& property) {
    return std::ranges::find(property.rules, rule) != property.rules.end();
  });
}

std::vector<std::string> mutants_killed_by(std::string_view rule) {
  std::vector<std::string> names;
  for (const Mutant& mutant : all_mutants())
    if (std::ranges::find(mutant.rules, rule) != mutant.rules.end())
      names.emplace_back(mutant.name);
  for (const EngineInfo& mutant : engine::all_engines())
    if (std::ranges::find(mutant.broken, rule) != mutant.broken.end())
      names.push_back(mutant.name.substr(mutant_prefix.size()));
  return names;
}

std::vector<std::string> scenarios_that_trigger(std::string_view rule) {
  std::vector<std::string> names;
  for (const Scenario& scenario : all_scenarios())
    if (std::ranges::find(scenario.triggers, rule) != scenario.triggers.end())
      names.emplace_back(scenario.name);
  for (const Scenario& scenario : engine_scenarios())
    if (std::ranges::find(scenario.triggers, rule) != scenario.triggers.end())
      names.emplace_back(scenario.name);
  return names;
}

std::vector<std::string> profiles_that_promise(const Rule& rule) {
  std::vector<std::string> names;
  for (const std::string_view name : profile_names())
    if (is_promised(rule, *built_in_profile(name))) names.emplace_back(name);
  return names;
}

}  // namespace assay::cli
