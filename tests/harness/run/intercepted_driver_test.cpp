// What stands between a driver and who uses it: batches stay batches, commits can lose their
// answers.
#include "harness/run/intercepted_driver.h"

#include <gtest/gtest.h>

#include "drivers/all.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

// Counts how it is asked; knows no job.
class Counting final : public Session {
 public:
  struct Calls {
    int acks = 0, batches = 0;
  };
  explicit Counting(Calls& calls) : calls_(calls) {}

  Status ack(Instant, const Ack&) override { return ++calls_.acks, Status(Done{}); }
  std::vector<Status> ack_all(Instant, std::span<const Ack> requests) override {
    ++calls_.batches;
    std::vector<Status> answers;
    for (const Ack& one : requests)
      answers.push_back(one.hold.token == "bad" ? Status(not_found("no")) : Status(Done{}));
    return answers;
  }
  Result<Enqueued> enqueue(Instant, const Enqueue&) override { return unsupported(""); }
  Result<Claims> reserve(Instant, const Reserve&) override { return unsupported(""); }
  Result<Extended> extend(Instant, const Extend&) override { return unsupported(""); }
  Status retry(Instant, const Retry&) override { return unsupported(""); }
  Status fail(Instant, const Fail&) override { return unsupported(""); }
  Result<Nacked> nack(Instant, const Nack&) override { return unsupported(""); }
  Result<Cancelled> cancel(Instant, const Cancel&) override { return unsupported(""); }
  Status pause(Instant, const Pause&) override { return unsupported(""); }
  Status resume(Instant, const Resume&) override { return unsupported(""); }
  Result<JobView> get(Instant, const Get&) override { return unsupported(""); }
  Result<JobPage> list(Instant, const List&) override { return unsupported(""); }
  Result<DeadPage> dead(Instant, const Dead&) override { return unsupported(""); }
  Result<Requeued> requeue(Instant, const Requeue&) override { return unsupported(""); }
  Status close() override { return Done{}; }

 private:
  Calls& calls_;
};

class CountingDriver final : public Driver {
 public:
  const Profile& profile() const override { return profile_; }
  Status setup(const Setup&) override { return Done{}; }
  Status teardown() override { return Done{}; }
  Result<std::unique_ptr<Session>> open(const SessionSpec&) override {
    return std::unique_ptr<Session>(std::make_unique<Counting>(calls));
  }
  Result<Instant> now() override { return run_epoch; }
  Counting::Calls calls;

 private:
  Profile profile_;
};

std::vector<Status> acked(CountingDriver& driver, Interception by) {
  InterceptedDriver between(driver, std::move(by));
  auto session = std::move(between.open({"w"})).value();
  const std::vector<Ack> acks{{{"a", "good"}}, {{"b", "bad"}}, {{"c", "good"}}};
  return session->ack_all(run_epoch, acks);
}

TEST(InterceptedDriver, PassesABatchOnAsOne) {
  CountingDriver driver;
  Interception by;
  by.call = [](const SessionSpec&, Instant now, const Request& request,
               const Interception::Next& next) { return next(now, request); };
  by.together = [](const SessionSpec&, Instant now, std::span<const Request> requests,
                   const Interception::NextAll& next) { return next(now, requests); };
  const auto answers = acked(driver, by);
  EXPECT_EQ(driver.calls.batches, 1);
  EXPECT_EQ(driver.calls.acks, 0);
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_TRUE(answers[0].ok() && answers[2].ok());
  ASSERT_FALSE(answers[1].ok());
  EXPECT_EQ(answers[1].error().code, ErrorCode::not_found);
}

TEST(InterceptedDriver, ShowsWhoAltersSingleCallsEachOfABatch) {
  CountingDriver driver;
  int seen = 0;
  Interception by;
  by.call = [&](const SessionSpec&, Instant now, const Request& request,
                const Interception::Next& next) { return ++seen, next(now, request); };
  EXPECT_EQ(acked(driver, by).size(), 3u);
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(driver.calls.acks, 3);
  EXPECT_EQ(driver.calls.batches, 0);
}

TEST(InterceptedDriver, LosesTheAnswerToACommitThatIsDone) {
  VirtualClock clock;
  std::unique_ptr<Driver> store;
  for (const DriverInfo& info : all_drivers())
    if (info.name == "memory")
      store = std::move(info.make(DriverOptions{*built_in_profile("reference"), clock})).value();
  ASSERT_TRUE(store && store->setup({"n"}).ok());
  Interception by;
  by.commit = [](const SessionSpec&, Instant now, const Commit& commit,
                 const Interception::NextCommit& next) -> Result<Committed> {
    static_cast<void>(next(now, commit));
    return Error{ErrorCode::unavailable, "no answer"};
  };
  InterceptedDriver between(*store, by);
  auto session = std::move(between.open({"w"})).value();
  Commit commit;
  commit.puts.push_back({"key", "value", {}});
  EXPECT_FALSE(session->records()->commit(run_epoch, commit).ok());
  const auto kept = session->records()->read(run_epoch, "key");
  ASSERT_TRUE(kept.ok() && *kept);
  EXPECT_EQ((*kept)->value, "value");
  static_cast<void>(session->close());
  session.reset();
  EXPECT_TRUE(store->teardown().ok());
}

}  // namespace
}  // namespace assay
