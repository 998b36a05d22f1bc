// Settings of a server that are changed while it runs, and put back.
#pragma once

#include <string>

#include "harness/backend/backend.h"

namespace assay::faults {

// Sets a setting of Redis; what it was comes back.
Result<std::string> set_redis(Backend& server, const std::string& setting,
                              const std::string& value);

// What the server says to a write of ours, in its own words: the code of Postgres, the first word
// of Redis; empty where it takes it.
std::string refusal_of_write(Backend& server);

// The same for any statement of Postgres'.
std::string refusal_of(Backend& postgres, const std::string& statement);

}  // namespace assay::faults
