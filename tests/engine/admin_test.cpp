#include "engine/admin.h"

#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

struct Office {
  explicit Office(Shop& shop)
      : session(std::move(shop.driver().open({"office", Role::admin})).value()),
        admin(*session, shop.clock(), shop.driver().profile()) {}
  std::unique_ptr<Session> session;
  Admin admin;
};

TEST(AdminTest, SeesEveryJobHoweverManyPagesThereAre) {
  Shop shop;
  shop.run([&] {
    for (int i = 0; i < 450; ++i) shop.put();
    Office office(shop);
    std::set<JobId> seen;
    ASSERT_TRUE(
        office.admin
            .each_job("q", std::nullopt, [&](const Job& job) { return seen.insert(job.id).second; })
            .ok());
    EXPECT_EQ(seen.size(), 450U);
    int looks = 0;
    ASSERT_TRUE(
        office.admin.each_job("q", std::nullopt, [&](const Job&) { return ++looks < 7; }).ok());
    EXPECT_EQ(looks, 7);
  });
}

TEST(AdminTest, CountsJobsAndSaysSinceWhenTheyWait) {
  Shop shop;
  shop.run([&] {
    shop.put({.run_at = shop.now() + 1min});
    shop.pass(10s);
    shop.put();
    shop.put({.run_at = shop.now() + 5s});
    shop.pass(20s);
    Office office(shop);
    const auto stats = office.admin.stats("q");
    ASSERT_TRUE(stats.ok());
    EXPECT_EQ(stats->of(JobState::ready), 2);
    EXPECT_EQ(stats->of(JobState::scheduled), 1);
    EXPECT_EQ(stats->of(JobState::dead), 0);
    EXPECT_EQ(stats->oldest_ready, run_epoch + 10s);
    EXPECT_EQ(stats->next_scheduled, run_epoch + 1min);
    EXPECT_TRUE(*office.admin.is_busy("q"));
    EXPECT_FALSE(*office.admin.is_busy("another"));
  });
}

TEST(AdminTest, IsBusyWhileAJobRunsAndNotOnceAllHaveEnded) {
  Shop shop;
  shop.run([&] {
    shop.put();
    Office office(shop);
    const auto worker = shop.start(shop.options(sleeps(10s)));
    shop.pass(5s);
    EXPECT_TRUE(*office.admin.is_busy("q"));
    shop.pass(10s);
    EXPECT_FALSE(*office.admin.is_busy("q"));
  });
}

JobId dead_job_in(Shop& shop) {
  const JobId id = shop.put({.max_attempts = 1});
  const auto worker = shop.start(shop.options([](Context&) -> HandlerResult {
    return Failure{"no", true};
  }));
  shop.pass(1min);
  EXPECT_EQ(shop.state(id), JobState::dead);
  return id;
}

int count_dead(Admin& admin) {
  int dead = 0;
  EXPECT_TRUE(admin
                  .each_dead("q",
                             [&](const DeadEntry&) {
                               ++dead;
                               return true;
                             })
                  .ok());
  return dead;
}

TEST(AdminTest, PurgesADeadJob) {
  Shop shop;
  shop.run([&] {
    const JobId id = dead_job_in(shop);
    Office office(shop);
    EXPECT_EQ(count_dead(office.admin), 1);
    const Status purged = office.admin.purge(id);
    ASSERT_TRUE(purged.ok()) << purged.error().message;
    EXPECT_EQ(count_dead(office.admin), 0);
    EXPECT_EQ(shop.state(id), JobState::cancelled);
    EXPECT_FALSE(office.admin.purge(id).ok()) << "it is not dead any more";
  });
}

// Somebody else who tries to claim between any two calls.
class Beset final : public Session {
 public:
  Beset(Session& inner, Session& other) : inner_(inner), other_(other) {}
  Result<Enqueued> enqueue(Instant now, const Enqueue& r) override {
    return inner_.enqueue(now, r);
  }
  Result<Claims> reserve(Instant now, const Reserve& r) override { return inner_.reserve(now, r); }
  Result<Extended> extend(Instant now, const Extend& r) override { return inner_.extend(now, r); }
  Status ack(Instant now, const Ack& r) override { return inner_.ack(now, r); }
  Result<Requeued> requeue(Instant now, const Requeue& r) override {
    auto answer = inner_.requeue(now, r);
    const auto claims = other_.reserve(now, {{"q"}, 30s, "other"});
    EXPECT_TRUE(claims.ok());
    claimed += static_cast<int>(claims->claims.size());
    return answer;
  }
  Result<Cancelled> cancel(Instant now, const Cancel& r) override { return inner_.cancel(now, r); }
  Status close() override { return inner_.close(); }

  int claimed = 0;

 private:
  Session& inner_;
  Session& other_;
};

TEST(AdminTest, LetsNobodyClaimAJobWhileItIsPurged) {
  Shop shop;
  shop.run([&] {
    const JobId id = dead_job_in(shop);
    Office office(shop), other(shop);
    Beset beset(*office.session, *other.session);
    Admin admin(beset, shop.clock(), shop.driver().profile());
    EXPECT_TRUE(admin.purge(id).ok());
    EXPECT_EQ(beset.claimed, 0);
    EXPECT_EQ(shop.state(id), JobState::cancelled);
  });
}

TEST(AdminTest, LeavesADeadJobWhereItIsThatItCouldOnlyHalfPurge) {
  Shop shop({.profile = "taskharbor"});
  shop.run([&] {
    const JobId id = dead_job_in(shop);
    Office office(shop);
    EXPECT_EQ(office.admin.purge(id).error().code, ErrorCode::unsupported);
    EXPECT_EQ(shop.state(id), JobState::dead);
    EXPECT_EQ(count_dead(office.admin), 1);
  });
}

TEST(AdminTest, KnowsTheQueuesThatWereRememberedOrHaveJobs) {
  Shop shop;
  shop.run([&] {
    Office office(shop);
    EXPECT_FALSE(*office.admin.knows("q"));
    shop.put();
    EXPECT_TRUE(*office.admin.knows("q"));
    for (const char* name : {"b", "a", "b"}) ASSERT_TRUE(office.admin.remember(name).ok());
    EXPECT_EQ(*office.admin.queues(), (std::vector<std::string>{"a", "b"}));
    EXPECT_TRUE(*office.admin.knows("a"));
    EXPECT_FALSE(*office.admin.knows("c"));
  });
}

}  // namespace
}  // namespace assay::engine
