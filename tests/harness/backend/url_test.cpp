#include "harness/backend/url.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(WithoutPassword, HidesItWhereverItStands) {
  EXPECT_EQ(without_password("postgresql://me:secret@h:1/db"), "postgresql://me:***@h:1/db");
  EXPECT_EQ(without_password("redis://:secret@h:1/0"), "redis://:***@h:1/0");
  EXPECT_EQ(without_password("redis://:se@cr:et@h:1/0"), "redis://:***@h:1/0");
  EXPECT_EQ(without_password("postgresql://h/db?password=secret&x=1"),
            "postgresql://h/db?password=***&x=1");
  EXPECT_EQ(without_password("host=h password=secret"), "host=h password=***");
}

TEST(WithoutPassword, LeavesTheRestAlone) {
  for (const std::string url : {"postgresql://me@h:1/db", "postgresql://h:5432/a@b", "redis://h:1",
                                "redis://h:1/0?x=a@b", "/tmp/queue.db", "a:b@c", ""})
    EXPECT_EQ(without_password(url), url);
}

}  // namespace
}  // namespace assay
