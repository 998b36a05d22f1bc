// The memory and the sqlite driver answer the same.
#include "tests/drivers/differential.h"

#include <gtest/gtest.h>

#include "drivers/memory/memory.h"
#include "drivers/sqlite/sqlite.h"

namespace assay::differential {
namespace {

class BuiltIn : public ::testing::TestWithParam<std::string> {};

TEST_P(BuiltIn, MemoryAndSqliteAnswerTheSame) {
  expect_same_answers({memory()}, {sqlite(), ":memory:"}, built_in_profile(GetParam()).value(), 200);
}

TEST(Differential, MemoryAndSqliteAnswerTheSameWhateverTheKnobsAre) {
  expect_same_answers_whatever_the_knobs({memory()}, {sqlite(), ":memory:"}, 300);
}

INSTANTIATE_TEST_SUITE_P(Differential, BuiltIn,
                         ::testing::Values("reference", "taskharbor", "trace", "upnext", "weave"),
                         [](const auto& profile) { return profile.param; });

}  // namespace
}  // namespace assay::differential
