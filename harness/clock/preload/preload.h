// What the parts of the preloaded library share. It knows nothing of Assay but the file
// (control.h): it runs inside of servers and drivers that others wrote, before they do, in their
// signal handlers and below their malloc. So it allocates nothing, locks nothing, and makes plain
// system calls.
#pragma once

#include <dlfcn.h>
#include <time.h>

#include "harness/clock/control.h"

#define ASSAY_OVERRIDES __attribute__((visibility("default")))

namespace assay::preload {

inline constexpr std::int64_t second_ns = 1'000'000'000;

// Absent, too short or not one of ours: null, and all is as without us.
const ClockControl* control();

// The clock of the machine; never ours.
int machine_clock(clockid_t clock, timespec* at);
std::int64_t monotonic_ns();

// What the process is told. Requires: a control.
timespec now();

// Besides what the file says, for a timer's signal handler (alarms.cpp): else 0.
std::int64_t alarm_grace_ns();

// The function that ours stands before. Ours are called by name only: nobody's is missing.
template <class Function>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    Function* found = __atomic_load_n(&function_, __ATOMIC_RELAXED);
    if (!found) {
      found = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
      __atomic_store_n(&function_, found, __ATOMIC_RELAXED);
    }
    return found(arguments...);
  }

 private:
  const char* name_;
  Function* function_ = nullptr;
};

}  // namespace assay::preload
