#include "harness/contract/base64.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Base64, WritesTheVectorsOfItsStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64url("\xfb\xff"), "-_8");
}

TEST(Base64, ReadsBackEveryByteAtEveryLength) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
    EXPECT_EQ(from_base64url(base64url(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, ReadsNothingElse) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Zh==", "Z===", "Zm9v=", "Zm 9", "Zm-_", "===="})
    EXPECT_FALSE(from_base64(text)) << text;
  for (const char* text : {"Zg==", "Zh", "Z", "Zm+/"}) EXPECT_FALSE(from_base64url(text)) << text;
}

}  // namespace
}  // namespace assay
