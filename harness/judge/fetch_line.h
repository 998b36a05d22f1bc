// fetch_line, fetch_lines: bring what will be needed soon into the processor's caches.
#pragma once

#include <cstddef>

namespace assay {

inline void fetch_line(const void* at) {
  __builtin_prefetch(at);
  // A function that does nothing else has no effect for GCC 12, which leaves calls of it out.
  asm volatile("" : : "r"(at));
}

inline void fetch_lines(const void* from, std::size_t size) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < size; at += line) fetch_line(static_cast<const char*>(from) + at);
}

}  // namespace assay
