// redis: the driver that keeps its jobs in a Redis server, each call one atomic script.
//
// url: redis://user:password@host:port/database, or unix://user:password@/path?db=N for a socket
// (detail/location.h). Without one, what ASSAY_REDIS_URL says. Several processes may share a
// namespace.
#pragma once

#include "harness/contract/driver.h"

namespace assay {

// Where the build has no hiredis, a driver that says so and cannot be made.
DriverInfo redis();

}  // namespace assay
