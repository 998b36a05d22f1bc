// NamedDriver: what a person's words for a driver come to: a built-in one, the same in processes of
// its own (`hosted:NAME`), or one behind the protocol (`exec:COMMAND`, `tcp:HOST:PORT`).
#pragma once

#include <optional>
#include <string>

#include "harness/cli/arguments.h"
#include "harness/cli/store.h"
#include "harness/contract/driver.h"
#include "harness/remote/connection.h"

namespace assay::cli {

struct NamedDriver {
  std::string name;  // as tokens and reports call it: leads back to the same driver
  DriverInfo info;
  std::optional<std::string> url;
  bool claims_itself = false;                 // it says what it claims; nobody tells it
  std::optional<std::string> backend;         // the kind that the person asked for
  std::optional<std::string> replica = {};    // as the person asked for it
  std::optional<std::string> toxiproxy = {};  // likewise
  std::shared_ptr<StoreClock> clock = {};  // of the server that is started for it, where we move it
};

// The server that it needs, as the person asked for it.
StoreWanted wanted_by(const NamedDriver& driver);

// With `profile_given`, a driver that claims for itself is judged by the profile it is made with.
// The errors are sentences.
Result<NamedDriver> driver_from(const std::string& name, const DriverArguments& how,
                                bool profile_given);

// The profile that was named, else what the driver claims: for that, one is started.
Result<Profile> profile_of(const NamedDriver& driver, const std::optional<std::string>& given);

struct Reachable {
  Connectable to;
  ConnectionOptions options;
};
// A driver behind the protocol, with the options that a person gave for it.
Result<Reachable> reachable_from(const std::string& name, const DriverArguments& how);

// What must stand behind a replay's token for the driver to be started in the same way: empty, or
// " --driver-url x".
std::string replay_options(const DriverArguments& how);

}  // namespace assay::cli
