// expect_golden: compares a text with tests/reports/golden/NAME. With ASSAY_UPDATE_GOLDEN set in
// the environment it writes the file instead, for a person to read and commit.
#pragma once

#include <string>

namespace assay::tests {

void expect_golden(const std::string& name, const std::string& text);

}  // namespace assay::tests
