// protocol_page: docs/protocol.md, its tables made from harness/remote/schema.h, so that they
// cannot drift from what answers are checked by.
#pragma once

#include <string>

namespace assay::cli {

std::string protocol_page();

}  // namespace assay::cli
