// The guard of stopped processes: told of each before it is stopped, it lets those go on that still
// stand still when our end of the leash closes, whatever closed it, and ends.
#pragma once

#include <sys/types.h>

namespace assay::proxy {

struct GuardOrder {
  enum class What : int { stops, goes_on };
  What what = What::stops;
  pid_t pid = 0;
};

// More than this cannot be stopped at a time.
constexpr int most_guarded = 1024;

// Is run behind a fork of a program with many threads: plain system calls only.
[[noreturn]] void be_guard(int leash);

}  // namespace assay::proxy
