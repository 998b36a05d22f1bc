// A worker at its work: what becomes of jobs.
#include "engine/worker.h"

#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

TEST(WorkerTest, RunsAJobOnceAndAcksIt) {
  Shop shop;
  shop.run([&] {
    const auto worker = shop.start(shop.options(succeeds));
    const JobId id = shop.put();
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(shop.state(id), JobState::done);
  });
  EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u);
  const auto answered = shop.all<SettleAnswered>();
  ASSERT_EQ(answered.size(), 1u);
  EXPECT_EQ(what<SettleAnswered>(answered[0]).kind, SettleKind::ack);
}

}  // namespace
}  // namespace assay::engine
