// wake_postgres: has every process of a Postgres look at its clock.
//
// Nobody is woken when a virtual clock is moved: who sleeps in the server would sleep on, a timeout
// that is due by now would not come. Its processes take SIGALRM, the signal of their own timers,
// for a hint to see what is due, and leave every wait to do so.
#pragma once

#include <string>

namespace assay::detail {

// `pid_file` holds the number of its first process. A server that is gone is no trouble.
void wake_postgres(const std::string& pid_file);

}  // namespace assay::detail
