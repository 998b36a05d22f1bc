#include "harness/history/payload.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(CompactPayload, KeepsSmallOnesAndDigestsLargeOnes) {
  EXPECT_EQ(compact_payload(std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(compact_payload(std::string(4096, 'x')), std::string(4096, 'x'));
  const std::string digest = compact_payload(std::string(4097, 'x'));
  EXPECT_TRUE(digest.starts_with(std::string(payload_digest_marker) + "4097:"));
  EXPECT_EQ(digest.size(), payload_digest_marker.size() + 5 + 16);
  EXPECT_NE(digest, compact_payload(std::string(4096, 'x') + 'y'));
}

TEST(CompactPayload, DigestsWhatOnlyLooksLikeADigest) {
  const std::string digest = compact_payload(std::string(4097, 'x'));
  EXPECT_NE(compact_payload(digest), digest);
}

}  // namespace
}  // namespace assay
