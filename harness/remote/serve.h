// serve: the driver's side of the protocol, for any Driver of ours.
#pragma once

#include <functional>
#include <string>

#include "harness/contract/driver.h"

namespace assay {

struct ServeOptions {
  std::string name;
  std::string version;
  // A driver for the namespace to come; seed and url are those of the setup.
  std::function<Result<std::unique_ptr<Driver>>(std::uint64_t seed, std::optional<std::string> url)>
      make;
  // Whether other processes find the same store. Where each has a private one, nothing is shared
  // whatever the driver claims.
  bool shared = true;
};

// Answers until the input ends, then closes what is open. One request after the other. An error
// where the other side breaks the protocol so that it cannot go on.
Status serve(const ServeOptions& options, int input, int output);

}  // namespace assay
