#include <fmt/format.h>

#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/named_driver.h"
#include "harness/cli/plan_text.h"
#include "harness/cli/replaying.h"
#include "harness/cli/usage.h"
#include "harness/contract/version.h"
#include "harness/plan/json.h"
#include "harness/plan/token.h"
#include "reports/file.h"

namespace assay::cli {

Result<Plan> plan_from_text(const std::string& text) {
  if (text.find("\"assay-plan\"") == std::string::npos) return plan_from_json(text);
  Result<ReplayToken> file = read_plan_file_text(text);
  if (!file) return file.error();
  if (!file->plan) return invalid("carries the seed of a plan, not a plan");
  return std::move(*file->plan);
}

// A plan of one's own is replayed like a token that knows no history to compare with.
static Result<ReplayToken> token_from(const RunArguments& arguments, const NamedDriver& driver) {
  Result<Profile> profile = profile_of(driver, arguments.profile);
  if (!profile) return profile.error();
  const Result<std::uint64_t> seed = number_from(arguments.seed.value_or("0"), "--seed", {});
  if (!seed) return seed.error();
  const Result<std::string> text = files::read_whole(arguments.plan);
  if (!text) return text.error();
  Result<Plan> plan = plan_from_text(*text);
  if (!plan) return invalid(fmt::format("{}: {}", arguments.plan, plan.error().message));
  if (Status sound = validate(*plan); !sound)
    return invalid(fmt::format("{}: {}", arguments.plan, sound.error().message));
  ReplayToken token;
  token.assay_version = version();
  token.driver = driver.name;
  token.profile = std::move(*profile);
  token.driver_seed = *seed;
  token.plan = std::move(*plan);
  return token;
}

int run_command(const RunArguments& arguments) {
  if (arguments.plan.empty() || arguments.driver.empty())
    return wrong_usage("run needs a plan and a driver: `assay run my-plan.json --driver memory`");
  const Result<NamedDriver> driver =
      driver_from(arguments.driver, arguments.how, arguments.profile.has_value());
  if (!driver) return wrong_usage(driver.error().message);
  const Result<ReplayToken> token = token_from(arguments, *driver);
  if (!token) return wrong_usage(token.error().message);
  return replay_and_tell(*token, *driver, {.out = arguments.out});
}

}  // namespace assay::cli
