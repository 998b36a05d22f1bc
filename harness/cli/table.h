// Table: rows in aligned columns that fit a page.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

// The last column is cut where a row would be longer than `width`.
std::string aligned(const std::vector<std::string>& heads,
                    const std::vector<std::vector<std::string>>& rows, std::size_t width = 100);

}  // namespace assay::cli
