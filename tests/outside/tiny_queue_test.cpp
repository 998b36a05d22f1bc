#include "tiny_queue.h"

#include "harness/run/gtest.h"

ASSAY_CERTIFY(TinyQueue, [](const assay::DriverOptions& o) { return make_tiny_queue(o); });
