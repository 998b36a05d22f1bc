#include "harness/cli/commands.h"
#include "harness/cli/replaying.h"
#include "harness/cli/usage.h"

namespace assay::cli {

int replay_command(const ReplayArguments& arguments) {
  if (arguments.token.empty())
    return wrong_usage("replay needs a token: assay1-..., or the path of a .plan.json file");
  const Result<ReplayToken> token = load_token(arguments.token);
  if (!token) return wrong_usage(token.error().message);
  // Whatever it claims by now, it is judged by what it was convicted by.
  const Result<NamedDriver> driver = driver_from(token->driver, arguments.how, true);
  if (!driver) return wrong_usage(driver.error().message);
  return replay_and_tell(*token, *driver, arguments.out);
}

}  // namespace assay::cli
