// remote_driver: a driver behind the protocol, as a Driver like any other.
//
// With capability `shared_storage` every session gets a connection of its own, which is a process
// of its own for `exec:`; without it, all share one. Connections are kept from one namespace to the
// next.
#pragma once

#include <functional>
#include <memory>

#include "harness/contract/driver.h"
#include "harness/remote/connection.h"

namespace assay {

struct RemoteOptions {
  Connectable to;
  ConnectionOptions connection;
  std::optional<Profile> profile;  // judge it by this, whatever it claims
  std::optional<std::string> url;  // handed to setup
  std::uint64_t seed = 0;          // handed to setup, for drivers that draw
  std::string log_folder;          // a file a process, for what they write to stderr; empty: none
  std::optional<Profile> claimed;  // by a process before: another claim is the driver's error
};

// Connects and says hello: an error where the driver does not start, or its hello is not one.
Result<std::unique_ptr<Driver>> remote_driver(RemoteOptions options);

}  // namespace assay
