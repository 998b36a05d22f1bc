#include "harness/cli/exploring.h"

#include <fmt/format.h>

#include "harness/cli/catalogue.h"
#include "harness/cli/plan_text.h"
#include "harness/cli/usage.h"
#include "harness/plan/token.h"
#include "harness/run/parts.h"
#include "reports/file.h"

namespace assay::cli {

std::vector<std::string> scenarios_under(const Profile& profile, bool only_races) {
  std::vector<std::string> names;
  for (const Scenario& scenario : built_in_parts().scenarios)
    if (applies(scenario, profile) && (!only_races || is_free(scenario.plan(profile))))
      names.emplace_back(scenario.name);
  return names;
}

Result<Plan> plan_named(const std::string& what, const Profile& profile,
                        const std::vector<std::string>& known) {
  if (what.starts_with("assay1-")) {
    Result<ReplayToken> token = load_token(what);
    if (!token) return token.error();
    if (!token->plan) return invalid("the token carries the seed of a plan, not a plan");
    return std::move(*token->plan);
  }
  for (const Scenario& scenario : built_in_parts().scenarios)
    if (scenario.name == what) {
      if (!applies(scenario, profile))
        return invalid(fmt::format("the scenario {} makes no sense under {}", what, profile.name));
      return scenario.plan(profile);
    }
  if (what.find('/') == std::string::npos && !what.ends_with(".json"))
    return unknown("scenario", what, known,
                   "`assay list scenarios` lists them; a plan's file ends in .json");
  const Result<std::string> text = files::read_whole(what);
  if (!text) return text.error();
  Result<Plan> plan = plan_from_text(*text);
  if (!plan) return invalid(fmt::format("{}: {}", what, plan.error().message));
  return plan;
}

std::string turns(Interleaving interleaving, const std::string& why_not_closer) {
  switch (interleaving) {
    case Interleaving::trips:
      return "each round trip to the store";
    case Interleaving::gates:
    case Interleaving::fibers:
      return "the driver's locks, statements and waits";
    case Interleaving::calls:
      break;
  }
  return "the boundaries of calls" +
         (why_not_closer.empty() ? "" : ", no closer: " + why_not_closer);
}

}  // namespace assay::cli
