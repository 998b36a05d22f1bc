// The GoogleTest entry, used as an author would: each rule that the profile promises is one test.
#include "drivers/memory/memory.h"
#include "harness/run/gtest.h"

namespace {

// Bears the name of its tests: authors call their class like their queue.
struct MemoryQueue {
  static assay::Result<std::unique_ptr<assay::Driver>> make(const assay::DriverOptions& options) {
    return assay::memory().make(options);
  }
};

ASSAY_CERTIFY(MemoryQueue, MemoryQueue::make);

}  // namespace
