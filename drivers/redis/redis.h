// redis: the driver that keeps its jobs in a Redis server, each call one atomic script.
//
// url: redis://user:password@host:port/database, or unix://user:password@/path?db=N for a socket
// (detail/location.h). Without one, what ASSAY_REDIS_URL says. Several processes may share a
// namespace.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/contract/driver.h"

namespace assay {

// Spoils the text of a script, so that a bug can be planted. Scripts are named after their calls.
//
// A text may be cut into several, by this line: each is a round trip then. One that answers {2,
// seen} is followed by the next one, which knows that as SEEN; any other answer is the call's.
// Instead of a script a text may be WATCH (of the job that is meant), MULTI or EXEC; what EXEC says
// is not looked at, so the call's answer is what was seen last.
using RedisAlter = std::function<void(std::string_view call, std::string& text)>;
inline constexpr std::string_view redis_round = "\n-- round trip --\n";

// Where the build has no hiredis, a driver that says so and cannot be made.
DriverInfo redis();

// The same driver with other scripts: for mutants.
DriverInfo redis_with(std::string name, std::string summary, RedisAlter alter);

}  // namespace assay
