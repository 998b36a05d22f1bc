// The faults of stores, on a real server, and on a file that only its clients have open.
#include <gtest/gtest.h>

#include "faults/worker/detail/processes.h"
#include "harness/backend/backend.h"
#include "tests/faults/around.h"
#include "tests/harness/backend/fixture.h"
#include "tests/harness/proxy/wire.h"

namespace assay::faults_test {
namespace {

using proxy_test::Wire;

class OfAServer : public testing::Test {
 protected:
  void SetUp() override {
    if (backend_test::shell("command -v redis-server").status != 0)
      GTEST_SKIP() << "redis is not installed here";
    BackendOptions options;
    options.kind = BackendKind::native;
    options.scratch = scratch_.text();
    auto started = start_backend("redis", options);
    ASSERT_TRUE(started.ok()) << started.error().message;
    backend_ = std::move(*started);
    around_.backend = backend_.get();
  }

  // It wants a password, and that is an answer.
  static constexpr std::string_view question = "PING\r\n",
                                    answer = "-NOAUTH Authentication required.\r\n";
  Wire connected() const { return Wire::to(proxy::upstream_of(backend_->url())->port); }
  static bool answers(const Wire& wire) {
    wire.say(question);
    return wire.hear(answer.size()) == answer;
  }

  backend_test::Folder scratch_;
  std::unique_ptr<Backend> backend_;
  Around around_;
};

TEST_F(OfAServer, CrashStoreTakesItAwayAndBringsItBack) {
  const Wire before = connected();
  ASSERT_TRUE(answers(before));
  const auto crash = fault("crash_store", -1, around_);
  ASSERT_TRUE(crash->begin().ok());
  EXPECT_TRUE(crash->proof().ok());
  EXPECT_FALSE(answers(before));
  EXPECT_TRUE(around_.asked.empty());
  ASSERT_TRUE(crash->end().ok());
  ASSERT_TRUE(crash->end().ok());
  EXPECT_TRUE(answers(connected()));
  EXPECT_EQ(around_.asked, std::vector<std::string>{"store is back"});
}

TEST_F(OfAServer, CrashStoreEndsWithItsFault) {
  ASSERT_TRUE(fault("crash_store", -1, around_)->begin().ok());
  EXPECT_TRUE(answers(connected()));
}

// That it is silent can only be waited for: longer than an answer takes where nobody is in the way.
TEST_F(OfAServer, PauseStoreLeavesEverybodyWithoutAnAnswerUntilItEnds) {
  constexpr int silence_ms = 300;
  const Wire wire = connected();
  ASSERT_TRUE(answers(wire));
  const auto pause = fault("pause_store", -1, around_);
  ASSERT_TRUE(pause->begin().ok());
  EXPECT_TRUE(pause->proof().ok());
  wire.say(question);
  EXPECT_FALSE(wire.is_readable(silence_ms));
  ASSERT_TRUE(pause->end().ok());
  ASSERT_TRUE(pause->end().ok());
  EXPECT_EQ(wire.hear(answer.size()), answer);
}

class OfAFile : public testing::Test {
 protected:
  OfAFile() { around_.program = {"sh", "-c", "echo here; exec sleep 600"}; }
  Around around_;
};

TEST_F(OfAFile, CrashStoreKillsWhoHasItOpen) {
  const auto crash = fault("crash_store", -1, around_);
  ASSERT_TRUE(crash->begin().ok());
  EXPECT_EQ(*crash->proof(), "every process that had the store open was killed by signal 9");
  ASSERT_EQ(around_.dead().size(), 2u);
  for (const auto& process : around_.dead())
    EXPECT_EQ(process->ending(0), "was killed by signal 9");
}

TEST_F(OfAFile, PauseStoreStopsWhoHasItOpen) {
  const int pids[] = {around_.living(0).pid(), around_.living(1).pid()};
  const auto pause = fault("pause_store", -1, around_);
  ASSERT_TRUE(pause->begin().ok());
  ASSERT_TRUE(pause->proof().ok());
  for (const int pid : pids) EXPECT_EQ(faults::state_of(pid), 'T');
  ASSERT_TRUE(pause->end().ok());
  for (const int pid : pids) EXPECT_NE(faults::state_of(pid), 'T');
}

TEST_F(OfAFile, NeitherIsToBeHadWhereNobodyHasAProcess) {
  around_.program.clear();
  EXPECT_FALSE(fault("crash_store", -1, around_)->begin().ok());
  EXPECT_FALSE(fault("pause_store", -1, around_)->begin().ok());
}

}  // namespace
}  // namespace assay::faults_test
