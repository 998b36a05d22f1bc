// fetch_line: brings what will be needed soon into the processor's caches.
#pragma once

namespace assay {

inline void fetch_line(const void* at) {
  __builtin_prefetch(at);
  // A function that does nothing else has no effect for GCC 12, which leaves calls of it out.
  asm volatile("" : : "r"(at));
}

}  // namespace assay
