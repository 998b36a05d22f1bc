// The calls that a commit of records stands for, as a history has them: its settle, what its counts
// enqueue, and its enqueues, in this order.
#pragma once

#include <vector>

#include "harness/contract/records.h"

namespace assay::detail {

std::vector<Request> parts_of(const Commit& commit);

// What came of each of them.
std::vector<Result<Response>> answers_to_parts(const Commit& commit,
                                               const Result<Committed>& answer);

}  // namespace assay::detail
