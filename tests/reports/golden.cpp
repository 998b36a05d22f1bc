#include "tests/reports/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "reports/file.h"

namespace assay::tests {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(ASSAY_SOURCE_DIR) + "/tests/reports/golden/" + name;
  if (std::getenv("ASSAY_UPDATE_GOLDEN")) {
    const Status written = files::write_whole(path, text);
    ASSERT_TRUE(written.ok()) << written.error().message;
    return;
  }
  const Result<std::string> golden = files::read_whole(path);
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(text, *golden);
}

}  // namespace assay::tests
