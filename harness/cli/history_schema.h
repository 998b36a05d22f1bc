// history_schema: docs/history.schema.json, made from the tables of harness/remote/schema.h and the
// profile's.
#pragma once

#include <string>

namespace assay::cli {

std::string history_schema();

}  // namespace assay::cli
