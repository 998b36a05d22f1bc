// Instant, Duration: times as the contract speaks of them, Unix milliseconds, the wire's
// resolution.
#pragma once

#include <chrono>
#include <cstdint>

namespace assay {

using Duration = std::chrono::milliseconds;
using Instant = std::chrono::sys_time<Duration>;

constexpr Instant instant_from_ms(std::int64_t ms) { return Instant{Duration{ms}}; }
constexpr std::int64_t to_ms(Instant at) { return at.time_since_epoch().count(); }
constexpr std::int64_t to_ms(Duration length) { return length.count(); }

// Where virtual time begins in every run: 2030-01-01T00:00:00Z.
inline constexpr Instant run_epoch = instant_from_ms(1'893'456'000'000);

// The largest instant that a contract speaks of: the last millisecond of the year 9999.
inline constexpr Instant end_of_time = instant_from_ms(253'402'300'799'999);

}  // namespace assay
