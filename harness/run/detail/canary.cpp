#include "harness/run/detail/canary.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/contract/random.h"
#include "harness/plan/generate.h"
#include "harness/run/detail/cases.h"
#include "harness/run/detail/needs.h"
#include "harness/run/detail/subject.h"
#include "harness/run/engine.h"

namespace assay::detail {

static constexpr int generated_plans = 20;

static bool convicted_by_scenarios(Subject& subject, const Profile& profile, const Parts& parts) {
  return std::ranges::any_of(parts.scenarios, [&](const Scenario& scenario) {
    return std::ranges::find(scenario.triggers, parts.canary_rule) != scenario.triggers.end() &&
           meets(profile, scenario.needs) &&
           convicts(subject.run(scenario.plan(profile)).judgement, parts.canary_rule);
  });
}

static bool convicted_by_chance(Subject& subject, const Profile& profile, const Parts& parts,
                                std::uint64_t seed) {
  for (int i = 0; i < generated_plans; ++i) {
    const auto plan_seed = Random(seed).fork(fmt::format("canary/{}", i)).next();
    if (convicts(subject.run(generate(profile, plan_seed)).judgement, parts.canary_rule))
      return true;
  }
  return false;
}

// A mutant of the engine, on the driver that the other canary is a mutant of.
static std::optional<std::string> engine_canary_trouble(const Parts& parts, std::uint64_t seed,
                                                        const std::string& scratch,
                                                        const EngineInfo& engine) {
  const std::string_view rule = engine.broken.front();
  const auto profile = *built_in_profile(parts.canary->default_profile);
  Subject subject({.info = parts.canary,
                   .name = parts.canary->name,
                   .profile = profile,
                   .seed = driver_seed(seed),
                   .url = std::nullopt,
                   .scratch = scratch,
                   .log_folder = {},
                   .properties = parts.properties,
                   .engine = &engine});
  const bool is_convicted =
      std::ranges::any_of(parts.engine_scenarios, [&](const Scenario& scenario) {
        return meets(profile, scenario.needs) &&
               std::ranges::find(scenario.triggers, rule) != scenario.triggers.end() &&
               convicts(subject.run(scenario.plan(profile)).judgement, rule);
      });
  if (is_convicted) return std::nullopt;
  return fmt::format("the canary {} was not convicted of {}: this run is void", engine.name, rule);
}

std::optional<std::string> canary_trouble(const Parts& parts, std::uint64_t seed,
                                          const std::string& scratch, const EngineInfo* engine) {
  if (!parts.canary) return "no canary: nothing shows that this harness convicts anybody";
  const auto profile = built_in_profile(parts.canary->default_profile);
  if (!profile)
    return fmt::format("the canary's profile '{}' does not exist", parts.canary->default_profile);
  Subject subject({.info = parts.canary,
                   .name = parts.canary->name,
                   .profile = *profile,
                   .seed = driver_seed(seed),
                   .url = std::nullopt,
                   .scratch = scratch,
                   .log_folder = {},
                   .properties = parts.properties});
  if (engine)
    if (auto trouble = engine_canary_trouble(parts, seed, scratch, *engine)) return trouble;
  if (convicted_by_scenarios(subject, *profile, parts) ||
      convicted_by_chance(subject, *profile, parts, seed))
    return std::nullopt;
  return fmt::format("the canary {} was not convicted of {}: this run is void", parts.canary->name,
                     parts.canary_rule);
}

}  // namespace assay::detail
