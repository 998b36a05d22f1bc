#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/replaying.h"
#include "harness/cli/usage.h"
#include "harness/run/compare.h"

namespace assay::cli {

int replay_command(const ReplayArguments& arguments) {
  if (arguments.token.empty())
    return wrong_usage("replay needs a token: assay1-..., or the path of a .plan.json file");
  const Result<ReplayToken> token = load_token(arguments.token);
  if (!token) return wrong_usage(token.error().message);
  if (const auto names = compared_in(*token); !names.empty()) {
    if (arguments.how.url)
      return wrong_usage("--driver-url makes no sense here: the token names two drivers, " +
                         token->driver);
    std::vector<NamedDriver> both;
    for (const std::string& name : names) {
      DriverArguments how = arguments.how;
      if (const auto info = driver_named(name); info && info->backend.empty()) how.backend.reset();
      Result<NamedDriver> driver = driver_from(name, how, true);
      if (!driver) return wrong_usage(driver.error().message);
      both.push_back(std::move(*driver));
    }
    return replay_pair_and_tell(*token, both[0], both[1], arguments.out);
  }
  DriverArguments how = arguments.how;
  if (!how.replica && !token->replica.empty()) how.replica = token->replica;
  // Whatever it claims by now, it is judged by what it was convicted by.
  const Result<NamedDriver> driver = driver_from(token->driver, how, true);
  if (!driver) return wrong_usage(driver.error().message);
  ReplayWishes wishes{.out = arguments.out,
                      .twice = arguments.check_determinism,
                      .until = {},
                      .hold = arguments.hold,
                      .stop_for_debugger = arguments.stop_for_debugger};
  if (arguments.until) {
    if (!arguments.hold) return wrong_usage("--until says where to hold; it needs --hold");
    const auto step = number_from(*arguments.until, "--until", {1, 1'000'000'000});
    if (!step) return wrong_usage(step.error().message);
    wishes.until = *step;
  }
  return replay_and_tell(*token, *driver, wishes);
}

}  // namespace assay::cli
