// The present time, as the file says, for whoever asks for CLOCK_REALTIME in one of its forms.
// CLOCK_MONOTONIC and all others are the machine's.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "harness/clock/preload/preload.h"

namespace assay::preload {
namespace {

const ClockControl* mapped = nullptr;
bool looked = false;

using ClockFunction = int(clockid_t, timespec*);
ClockFunction* through_vdso = nullptr;

const ClockControl* map_control() {
  const int saved = errno;
  const char* path = ::getenv(clock_variable);
  const int file = path ? ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
  const ClockControl* found = nullptr;
  struct stat about {};
  if (file >= 0 && ::fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
      about.st_size >= static_cast<off_t>(sizeof(ClockControl))) {
    void* at = ::mmap(nullptr, sizeof(ClockControl), PROT_READ, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) {
      found = static_cast<const ClockControl*>(at);
      if (found->magic != clock_magic) {
        ::munmap(at, sizeof(ClockControl));
        found = nullptr;
      }
    }
  }
  if (file >= 0) ::close(file);
  errno = saved;
  return found;
}

// Before main, and before there are threads. A malloc that asks for the time even earlier has
// looked already; for that one no symbol is looked up, which might want to allocate.
__attribute__((constructor(101))) void begin() {
  control();
  through_vdso = reinterpret_cast<ClockFunction*>(::dlsym(RTLD_NEXT, "clock_gettime"));
}

std::int64_t elapsed_at_rate(const ClockSetting& setting) {
  if (setting.rate == 0) return 0;
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{monotonic_ns() - setting.anchor_ns} * setting.rate >> 32);
}

bool is_ours(clockid_t clock) {
  return (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) && control();
}

}  // namespace

const ClockControl* control() {
  if (!looked) {
    mapped = map_control();
    looked = true;
  }
  return mapped;
}

int machine_clock(clockid_t clock, timespec* at) {
  if (through_vdso) return through_vdso(clock, at);
  return static_cast<int>(::syscall(SYS_clock_gettime, clock, at));
}

std::int64_t monotonic_ns() {
  timespec at{};
  machine_clock(CLOCK_MONOTONIC, &at);
  return at.tv_sec * second_ns + at.tv_nsec;
}

timespec now() {
  const ClockSetting setting = setting_of(*control());
  timespec at{};
  if (setting.is_set != 1) {
    machine_clock(CLOCK_REALTIME, &at);
    return at;
  }
  std::int64_t ns = setting.base_ns + elapsed_at_rate(setting);
  if (setting.rate == 0) ns += alarm_grace_ns();
  std::int64_t seconds = ns / second_ns;
  if ((ns %= second_ns) < 0) {
    ns += second_ns;
    --seconds;
  }
  at.tv_sec = setting.base_seconds + seconds;
  at.tv_nsec = ns;
  return at;
}

}  // namespace assay::preload

using namespace assay::preload;

extern "C" {

ASSAY_OVERRIDES int clock_gettime(clockid_t clock, timespec* at) noexcept {
  if (!is_ours(clock)) return machine_clock(clock, at);
  *at = now();
  return 0;
}

ASSAY_OVERRIDES int gettimeofday(timeval* at, void* zone) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  at->tv_sec = precise.tv_sec;
  at->tv_usec = precise.tv_nsec / 1000;
  if (zone) *static_cast<struct timezone*>(zone) = {};
  return 0;
}

ASSAY_OVERRIDES time_t time(time_t* at) noexcept {
  timespec precise{};
  clock_gettime(CLOCK_REALTIME, &precise);
  if (at) *at = precise.tv_sec;
  return precise.tv_sec;
}

ASSAY_OVERRIDES int timespec_get(timespec* at, int base) noexcept {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, at);
  return base;
}

}  // extern "C"
