// compact: what a history keeps of the payloads in a call (harness/history/payload.h).
#pragma once

#include "harness/contract/operation.h"

namespace assay::detail {

void compact(Request& request);
void compact(Response& response);

}  // namespace assay::detail
