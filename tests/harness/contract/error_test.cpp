#include "harness/contract/error.h"

#include <gtest/gtest.h>

#include "harness/contract/result.h"

namespace assay {
namespace {

TEST(IsDefinite, DoubtsOnlyWhatMayHaveHappened) {
  EXPECT_TRUE(is_definite(invalid("")));
  EXPECT_TRUE(is_definite(lease_lost(LeaseReason::expired, "")));
  EXPECT_TRUE(is_definite({ErrorCode::closed}));
  EXPECT_FALSE(is_definite({ErrorCode::unavailable}));
  EXPECT_FALSE(is_definite({ErrorCode::internal}));
}

TEST(IsDefinite, BelievesTheAnswerThatSaysSo) {
  Error refused_connection{ErrorCode::unavailable};
  refused_connection.definite = true;
  EXPECT_TRUE(is_definite(refused_connection));
  Error odd = not_found("");
  odd.definite = false;
  EXPECT_FALSE(is_definite(odd));
}

TEST(ErrorCode, ReadsBackItsNames) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    EXPECT_EQ(error_code_from(name_of(code)), code);
  }
  for (int i = 0; i <= static_cast<int>(LeaseReason::mismatch); ++i) {
    const auto reason = static_cast<LeaseReason>(i);
    EXPECT_EQ(lease_reason_from(name_of(reason)), reason);
  }
  EXPECT_EQ(name_of(ErrorCode::lease_lost), "lease_lost");
  EXPECT_EQ(error_code_from("Invalid"), std::nullopt);
  EXPECT_EQ(lease_reason_from(""), std::nullopt);
}

TEST(Result, IsAValueOrAnError) {
  const Result<int> good = 7;
  const Result<int> bad = conflict("taken");
  EXPECT_EQ(good.value(), 7);
  EXPECT_EQ(bad.error(), (Error{ErrorCode::conflict, "taken"}));
}

TEST(ResultDeathTest, DiesWhenReadAsWhatItIsNot) {
  const Result<int> good = 7;
  const Result<int> bad = conflict("taken");
  EXPECT_DEATH(static_cast<void>(bad.value()), "ok\\(\\)");
  EXPECT_DEATH(static_cast<void>(good.error()), "ok\\(\\)");
}

}  // namespace
}  // namespace assay
