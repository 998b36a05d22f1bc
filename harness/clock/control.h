// ClockControl: what a process's clock is moved through: a small file that whoever moves it and
// every process that lives by it map. Read by the preloaded library (preload/), written by
// ClockFile and, for people, by docker/backend.sh.
//
// A latch: the writer fills the setting that nobody reads, then raises `sequence`. So a reader
// never waits, not even for a writer that was killed half-way; a signal handler may read.
#pragma once

#include <cstdint>

namespace assay {

struct ClockSetting {
  std::int64_t is_set = 0;        // 1: as below; anything else: the time of the machine
  std::int64_t base_seconds = 0;  // what it was, since 1970, when CLOCK_MONOTONIC was anchor_ns
  std::int64_t base_ns = 0;       // and its fraction, below a second
  std::int64_t anchor_ns = 0;
  std::int64_t rate = 0;  // how fast it goes, in 1 / rate_one; 0: it stands still
};

struct ClockControl {
  std::uint64_t magic = 0;
  std::uint64_t sequence = 0;  // settings[sequence % 2] holds
  ClockSetting settings[2] = {};
};
static_assert(sizeof(ClockControl) == 96);

inline constexpr std::uint64_t clock_magic = 0x6b6c437961737341;  // "AssayClk"
inline constexpr std::int64_t rate_one = std::int64_t{1} << 32;
inline constexpr const char* clock_variable = "ASSAY_CLOCK";  // the file's path, for the library

// Repeated only where the clock was moved meanwhile.
inline ClockSetting setting_of(const ClockControl& control) {
  for (;;) {
    const auto sequence = __atomic_load_n(&control.sequence, __ATOMIC_ACQUIRE);
    const ClockSetting& from = control.settings[sequence % 2];
    const ClockSetting read{__atomic_load_n(&from.is_set, __ATOMIC_ACQUIRE),
                            __atomic_load_n(&from.base_seconds, __ATOMIC_ACQUIRE),
                            __atomic_load_n(&from.base_ns, __ATOMIC_ACQUIRE),
                            __atomic_load_n(&from.anchor_ns, __ATOMIC_ACQUIRE),
                            __atomic_load_n(&from.rate, __ATOMIC_ACQUIRE)};
    if (__atomic_load_n(&control.sequence, __ATOMIC_RELAXED) == sequence) return read;
  }
}

}  // namespace assay
