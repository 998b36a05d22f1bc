// What the faults of a store without a server share: its processes are those of its clients, which
// have it open themselves.
#pragma once

#include <functional>
#include <string>

#include "harness/fault/fault.h"

namespace assay::faults {

// Every process that has the store open is sent the signal and has ended when `meanwhile` is
// called; then they may come back. How one of them ended comes back: "was killed by signal 9". An
// error where the clients have no processes of their own.
Result<std::string> end_openers(
    Surroundings& around, int signal,
    const std::function<Status()>& meanwhile = [] { return Status(Done{}); });

}  // namespace assay::faults
