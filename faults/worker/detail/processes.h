// What the faults of workers share: ending a client's process, and seeing how it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/fault/fault.h"

namespace assay::faults {

// Sends the signal to the client's process and waits for its end. How it ended comes back: "was
// killed by signal 9". An error where it goes on living. A client that lives in our process has its
// session dropped instead, whatever the signal.
Result<std::string> end_process(Surroundings& around, int client, int signal);

// For a FaultInfo of such an end by a signal: all but what makes it.
FaultInfo ended_by_signal(std::string_view name, std::string_view summary);
std::unique_ptr<Fault> end_by_signal(int signal, int client, Surroundings& around);

// As the system shows it: 'T' where it is stopped; '?' where there is none.
char state_of(int pid);

// Whether it stands still after it was told to: a signal takes a moment to arrive.
bool comes_to_a_stop(int pid);

}  // namespace assay::faults
