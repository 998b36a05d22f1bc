// made_up_report: a report with every verdict in it, for the tests of the formats.
#pragma once

#include "harness/run/certify.h"

namespace assay::tests {

Report made_up_report();

// One that certifies.
Report made_up_certificate();
// At level durability: twelve crashes, one restart, and no loss of power for want of root.
Report made_up_durable_certificate();

}  // namespace assay::tests
