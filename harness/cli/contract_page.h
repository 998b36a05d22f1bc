// contract_page: docs/contract.md, made from the tables, so that it cannot drift from them.
#pragma once

#include <string>

namespace assay::cli {

std::string contract_page();

}  // namespace assay::cli
