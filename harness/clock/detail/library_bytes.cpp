#include "harness/clock/detail/library_bytes.h"

asm(".pushsection .rodata\n"
    "assay_clock_library:\n"
    ".incbin \"" ASSAY_CLOCK_LIBRARY
    "\"\n"
    "assay_clock_library_end:\n"
    ".byte 0\n"
    ".globl assay_clock_library, assay_clock_library_end\n"
    ".popsection\n");

extern "C" const char assay_clock_library[];
extern "C" const char assay_clock_library_end[];

namespace assay::detail {

std::string_view clock_library_bytes() {
  return {assay_clock_library,
          static_cast<std::size_t>(assay_clock_library_end - assay_clock_library)};
}

}  // namespace assay::detail
