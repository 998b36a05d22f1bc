// How a worker ends.
#include <mutex>
#include <set>

#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

Instant at(Duration length) { return run_epoch + length; }

// Ends when its time is over, whoever asks it to stop.
Handler ignores_for(Duration length) {
  return [length](Context& context) -> HandlerResult {
    context.clock().sleep_until(context.clock().now() + length, {});
    return Success{};
  };
}

TEST(ShutdownTest, LetsHandlersEndWithinTheGracePeriodAndClaimsNothingMore) {
  Shop shop;
  shop.run([&] {
    for (int i = 0; i < 4; ++i) shop.put();
    const auto worker = shop.start(shop.options(sleeps(10s), 2));
    shop.pass(1s);
    EXPECT_TRUE(worker->shutdown().did_not_return.empty());
    EXPECT_EQ(shop.now(), at(10s));
    EXPECT_EQ(shop.states(),
              (std::vector{JobState::done, JobState::done, JobState::ready, JobState::ready}));
    EXPECT_TRUE(worker->shutdown().did_not_return.empty()) << "a second one finds nothing to do";
    shop.pass(1min);
  });
  EXPECT_EQ(shop.all<Claimed>().size(), 2u);
  EXPECT_TRUE(shop.all<Interrupted>().empty());
}

TEST(ShutdownTest, GivesNoMoreGraceToWhoIsHurried) {
  for (const bool before : {false, true}) {
    Shop shop;
    shop.run([&] {
      const JobId id = shop.put();
      const auto worker = shop.start(shop.options(sleeps(1h)));
      shop.pass(1s);
      if (before) worker->hurry();
      shop.pass(1s);
      EXPECT_EQ(shop.state(id), JobState::leased) << "nobody is interrupted by that alone";
      const auto second = shop.runtime().start("second", [&](std::stop_token) {
        shop.pass(3s);
        worker->hurry();
      });
      EXPECT_TRUE(worker->shutdown().did_not_return.empty());
      EXPECT_EQ(shop.now(), at(before ? 2s : 5s));
      EXPECT_EQ(shop.state(id), JobState::ready);
      EXPECT_TRUE(second->join_until(std::nullopt));
    });
  }
}

TEST(ShutdownTest, InterruptsAfterTheGracePeriodAndPutsBackWithNoFailure) {
  for (const auto profile : {"reference", "taskharbor", "upnext"}) {
    Shop shop({.profile = profile});
    Interruption seen = Interruption::none;
    shop.run([&] {
      const JobId id = shop.put();
      WorkerOptions options = shop.options([&](Context& context) {
        auto result = sleeps(1h)(context);
        seen = context.why();
        return result;
      });
      const auto worker = shop.start(options);
      shop.pass(1s);
      EXPECT_TRUE(worker->shutdown().did_not_return.empty());
      EXPECT_EQ(shop.now(), at(31s));
      const JobView view = shop.get(id);
      EXPECT_EQ(view.job.state, JobState::ready) << profile;
      EXPECT_EQ(view.job.attempts, 0) << profile;
    });
    EXPECT_EQ(seen, Interruption::shutdown);
    ASSERT_EQ(shop.all<SettleAnswered>().size(), 1u);
    EXPECT_EQ(what<SettleAnswered>(shop.all<SettleAnswered>()[0]).kind, SettleKind::release);
  }
}

TEST(ShutdownTest, LeavesTheLeaseToLapseWhereNoCallGivesItBack) {
  for (const auto profile : {"trace", "weave"}) {
    Shop shop({.profile = profile});
    shop.run([&] {
      const JobId id = shop.put();
      const auto worker = shop.start(shop.options(sleeps(1h)));
      shop.pass(1s);
      static_cast<void>(worker->shutdown());
      EXPECT_EQ(shop.state(id), JobState::leased) << profile;
    });
    EXPECT_TRUE(shop.all<SettleSent>().empty());
    ASSERT_EQ(shop.all<LeftToLapse>().size(), 1u);
    EXPECT_EQ(what<LeftToLapse>(shop.all<LeftToLapse>()[0]).why, "no call gives a lease back here");
  }
}

TEST(ShutdownTest, AcksWhatSucceedsThoughItWasInterrupted) {
  Shop shop;
  shop.run([&] {
    shop.put();
    const auto worker = shop.start(shop.options(ignores_for(33s)));
    shop.pass(1s);
    static_cast<void>(worker->shutdown());
    EXPECT_EQ(shop.states(), std::vector{JobState::done});
  });
}

TEST(ShutdownTest, EndsInBoundedTimeAndSaysWhoDidNotReturn) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Shop shop({.seed = seed});
    const auto run = shop.run([&] {
      const JobId id = shop.put();
      shop.put();
      WorkerOptions options = shop.options(
          [](Context& context) -> HandlerResult {
            if (context.job().id != "j0") return Success{};
            return ignores_for(1h)(context);
          },
          2);
      options.lease = 20s;
      auto worker = shop.start(options);
      shop.pass(1s);
      const Ending ending = worker->shutdown();
      ASSERT_EQ(ending.did_not_return.size(), 1u);
      EXPECT_EQ(ending.did_not_return[0].job_id, id);
      EXPECT_EQ(shop.now(), at(36s));
      worker.reset();
      EXPECT_EQ(shop.state(id), JobState::leased);
      EXPECT_EQ(shop.state("j1"), JobState::done);
      // Its lease lapses, and another worker runs it.
      WorkerOptions patient = shop.options(succeeds);
      patient.poll_min = patient.poll_max = 1min;
      const auto other = shop.start(patient);
      EXPECT_TRUE(shop.all_end(5min));
      shop.events.clear();
      shop.pass(2h);  // the first handler returns at last, and touches nothing
      for (const Event& event : shop.events)
        EXPECT_TRUE(event.delivery.job_id.empty()) << told(event);
    });
    EXPECT_TRUE(run.left_behind.empty());
  }
}

TEST(ShutdownTest, NeedsNoHandlerThatEverReturns) {
  Shop shop;
  const auto run = shop.run([&] {
    const std::shared_ptr<Monitor> never = shop.runtime().monitor("nothing");
    shop.put();
    const auto worker = shop.start(shop.options([never](Context&) -> HandlerResult {
      const std::lock_guard lock(*never);
      for (;;) never->wait_until(std::nullopt);
    }));
    shop.pass(1s);
    EXPECT_EQ(worker->shutdown().did_not_return.size(), 1u);
  });
  EXPECT_EQ(run.left_behind, std::vector<std::string>{"w/0"});
}

TEST(ShutdownTest, WaitsForTheStoreNoLongerThanItsPeriods) {
  Trouble trouble;
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (std::holds_alternative<Ack>(request)) return Trouble::no_answer();
    return std::nullopt;
  };
  Shop shop({.trouble = &trouble});
  shop.run([&] {
    WorkerOptions options = shop.options(succeeds);
    options.lease = 1h;
    shop.put();
    const auto worker = shop.start(options);
    shop.pass(1s);
    EXPECT_TRUE(worker->shutdown().did_not_return.empty());
    EXPECT_LE(shop.now(), at(1s + 30s + 5s));
  });
  EXPECT_EQ(shop.all<LeftToLapse>().size(), 1u);
}

// The answer to a claim comes when handlers are interrupted already: none begins.
TEST(ShutdownTest, PutsBackWhatIsClaimedTooLateToBegin) {
  Trouble trouble;
  Shop shop({.trouble = &trouble});
  trouble.after = [&](const Request& request) -> std::optional<Error> {
    if (std::holds_alternative<Reserve>(request)) shop.pass(33s);
    return std::nullopt;
  };
  shop.run([&] {
    const JobId id = shop.put();
    WorkerOptions options = shop.options(succeeds);
    options.lease = 10min;
    const auto worker = shop.start(options);
    shop.pass(1s);
    EXPECT_TRUE(worker->shutdown().did_not_return.empty());
    EXPECT_EQ(shop.state(id), JobState::ready);
    EXPECT_EQ(shop.get(id).job.attempts, 0);
    EXPECT_EQ(worker->tallies().not_dispatched[Hindrance::worker_ends], 1);
  });
  EXPECT_TRUE(shop.all<HandlerBegan>().empty());
}

// At any moment of anything: what was claimed is run, put back or acked, and told.
TEST(ShutdownTest, InTheMiddleLosesNothing) {
  for (const auto profile : {"reference", "trace", "weave"})
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      Shop shop({.seed = seed, .profile = profile, .pct = seed % 2 == 0});
      shop.run([&] {
        for (int i = 0; i < 8; ++i) shop.put();
        WorkerOptions options = shop.options(
            [](Context& context) -> HandlerResult {
              const auto number = context.job().id.back() - '0';
              if (number % 3 == 0) return Failure{"no luck"};
              return sleeps(Duration{number * 100})(context);
            },
            3);
        options.grace = 300ms;
        options.lease = 10s;
        options.group_acks = seed % 3 == 0;
        {
          const auto worker = shop.start(options);
          shop.pass(Duration{static_cast<std::int64_t>(seed * 7 % 500)});
          EXPECT_TRUE(worker->shutdown().did_not_return.empty());
        }
        std::set<JobId> open;
        for (const Event& event : shop.events) {
          if (std::holds_alternative<Claimed>(event.what)) open.insert(event.delivery.job_id);
          if (std::holds_alternative<SettleAnswered>(event.what) ||
              std::holds_alternative<LeftToLapse>(event.what))
            open.erase(event.delivery.job_id);
        }
        EXPECT_TRUE(open.empty()) << profile << " " << seed;
        for (const JobId& id : shop.jobs())
          EXPECT_TRUE(profile != std::string("reference") || shop.state(id) != JobState::leased)
              << seed;
        options.handlers["t"].run = succeeds;
        const auto second = shop.start(options);
        EXPECT_TRUE(shop.all_end()) << profile << " " << seed;
        EXPECT_EQ(shop.states(), std::vector(8, JobState::done)) << profile << " " << seed;
      });
    }
}

}  // namespace
}  // namespace assay::engine
