// Wake-ups: heard before the next poll, and never needed.
#include "engine/wakeups.h"

#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

TEST(WakeUpsTest, AreHeardInTheOrderOfTheirAnnouncement) {
  Shop shop;
  shop.run([&] {
    InProcessWakeUps wakeups(shop.runtime());
    wakeups.announce({"a", "q"});
    wakeups.announce({std::nullopt, "p"});
    EXPECT_EQ(wakeups.wait_until(shop.now(), {}), (WakeUp{"a", "q"}));
    EXPECT_EQ(wakeups.wait_until(shop.now(), {}), (WakeUp{std::nullopt, "p"}));
    EXPECT_EQ(wakeups.wait_until(shop.now() + 3s, {}), std::nullopt);
    EXPECT_EQ(shop.now(), run_epoch + 3s);
  });
}

TEST(WakeUpsTest, AreHeardAtOnceUnderAnySchedule) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      InProcessWakeUps wakeups(shop.runtime());
      const auto speaker = shop.runtime().start("speaker", [&](std::stop_token) {
        for (int i = 0; i < 5; ++i) wakeups.announce({std::to_string(i)});
      });
      for (int i = 0; i < 5; ++i)
        EXPECT_EQ(wakeups.wait_until(shop.now() + 1h, {}), WakeUp{std::to_string(i)});
      EXPECT_EQ(shop.now(), run_epoch) << seed;
    });
  }
}

TEST(WakeUpsTest, AreWaitedForUntilTheListenerIsStopped) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      InProcessWakeUps wakeups(shop.runtime());
      const auto listener = shop.runtime().start("listener", [&](std::stop_token stop) {
        EXPECT_EQ(wakeups.wait_until(run_epoch + 1h, stop), std::nullopt);
      });
      listener->request_stop();
      EXPECT_TRUE(listener->join_until(run_epoch + 1s)) << seed;
    });
  }
}

TEST(WakeUpsTest, ForgetTheOldestWhereNobodyListens) {
  Shop shop;
  shop.run([&] {
    InProcessWakeUps wakeups(shop.runtime(), 2);
    for (const auto id : {"a", "b", "c"}) wakeups.announce({id});
    EXPECT_EQ(wakeups.wait_until(shop.now(), {}), WakeUp{"b"});
  });
}

// A worker that polls once in a while begins at once what it hears of.
TEST(WakeUpsTest, LetAWorkerBeginAtOnceUnderAnySchedule) {
  for (const auto profile : {"reference", "trace"})
    for (const int slots : {1, 3})
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Shop shop({.seed = seed, .profile = profile});
        shop.run([&] {
          InProcessWakeUps wakeups(shop.runtime());
          WorkerOptions options = shop.options(succeeds, slots);
          options.poll_min = options.poll_max = 1h;
          options.wakeups = &wakeups;
          const auto worker = shop.start(options);
          for (int i = 0; i < 4; ++i) {
            const JobId id = shop.put();
            wakeups.announce(profile == std::string("trace") ? WakeUp{id}
                                                             : WakeUp{std::nullopt, "q"});
            shop.pass(Duration{static_cast<std::int64_t>(seed % 2)});
          }
          shop.pass(1ms);
          EXPECT_EQ(shop.states(), std::vector(4, JobState::done))
              << profile << " " << slots << " " << seed;
        });
      }
}

// It comes while the only slot asks, after the store has looked.
TEST(WakeUpsTest, AreNotMissedDuringAClaim) {
  Trouble trouble;
  Shop shop({.trouble = &trouble});
  shop.run([&] {
    InProcessWakeUps wakeups(shop.runtime());
    bool is_first = true;
    trouble.after = [&](const Request& request) -> std::optional<Error> {
      if (!std::holds_alternative<Reserve>(request) || !std::exchange(is_first, false))
        return std::nullopt;
      shop.put();
      wakeups.announce({std::nullopt, "q"});
      shop.pass(1s);
      return std::nullopt;
    };
    WorkerOptions options = shop.options(succeeds);
    options.poll_min = options.poll_max = 1h;
    options.wakeups = &wakeups;
    const auto worker = shop.start(options);
    shop.pass(2s);
    EXPECT_EQ(shop.states(), std::vector{JobState::done});
  });
}

TEST(WakeUpsTest, AreNotNeeded) {
  for (const auto profile : {"reference", "trace"}) {
    Shop shop({.profile = profile});
    shop.run([&] {
      InProcessWakeUps silent(shop.runtime());
      WorkerOptions options = shop.options(succeeds, 2);
      options.wakeups = &silent;
      const auto worker = shop.start(options);
      for (int i = 0; i < 5; ++i) shop.put();
      EXPECT_TRUE(shop.all_end(5s)) << profile;
    });
  }
}

TEST(WakeUpsTest, MayBeDoubledAndWrong) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Shop shop({.seed = seed, .profile = "trace"});
    shop.run([&] {
      InProcessWakeUps wakeups(shop.runtime());
      WorkerOptions options = shop.options(sleeps(1s), 3);
      options.wakeups = &wakeups;
      const auto worker = shop.start(options);
      const JobId id = shop.put();
      for (int i = 0; i < 5; ++i) {
        wakeups.announce({id});
        wakeups.announce({"nobody"});
        wakeups.announce({id, "elsewhere"});
      }
      EXPECT_TRUE(shop.all_end());
    });
    EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u);
  }
}

// A channel that breaks at once each time is not asked without a pause.
TEST(WakeUpsTest, ThatAreBrokenCostNothing) {
  struct Broken final : WakeUps {
    int asked = 0;
    std::optional<WakeUp> wait_until(Instant, std::stop_token) override {
      return ++asked, std::nullopt;
    }
  } broken;
  Shop shop;
  shop.run([&] {
    WorkerOptions options = shop.options(succeeds);
    options.wakeups = &broken;
    const auto worker = shop.start(options);
    shop.put();
    shop.pass(1min);
    EXPECT_EQ(shop.states(), std::vector{JobState::done});
  });
  EXPECT_LE(broken.asked, 32);
}

// Where claims name a job, one whose worker died is found although nobody announces it.
TEST(WakeUpsTest, AreNotNeededToFindALostLease) {
  Shop shop({.profile = "trace"});
  shop.run([&] {
    shop.put();
    const auto dead = std::move(shop.driver().open({"dead"})).value();
    Reserve reserve{{"q"}, 10s, "dead"};
    reserve.job_id = "j0";
    EXPECT_EQ(dead->reserve(shop.now(), reserve)->claims.size(), 1u);
    WorkerOptions options = shop.options(succeeds);
    options.lease = 10s;
    const auto worker = shop.start(options);
    shop.pass(9s);
    EXPECT_EQ(shop.state("j0"), JobState::leased);
    EXPECT_TRUE(shop.all_end(2min));  // its backoff is up to half a minute
    EXPECT_EQ(shop.state("j0"), JobState::done);
  });
}

}  // namespace
}  // namespace assay::engine
