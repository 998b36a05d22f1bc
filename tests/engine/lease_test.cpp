// How a worker keeps its leases, what it does when one is lost, and how long a handler may run.
#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

Instant at(Duration length) { return run_epoch + length; }

std::vector<Instant> instants(const std::vector<Event>& events) {
  std::vector<Instant> all;
  for (const Event& event : events) all.push_back(event.at);
  return all;
}

TEST(LeaseTest, IsKeptByAHeartbeatEveryThirdOfIt) {
  for (const auto profile : {"reference", "taskharbor", "trace", "upnext", "weave"}) {
    Shop shop({.profile = profile});
    shop.run([&] {
      WorkerOptions options = shop.options(sleeps(100s));
      options.lease = 30s;
      shop.put();
      const auto worker = shop.start(options);
      const auto other = shop.start(shop.options(succeeds));
      EXPECT_TRUE(shop.all_end());
      shop.pass(2min);
    });
    const auto began = shop.all<HandlerBegan>();
    ASSERT_EQ(began.size(), 1u) << profile;
    if (shop.all<HeartbeatSent>().empty()) continue;  // the other one was first
    std::vector<Instant> thirds;
    for (Instant next = began[0].at + 10s; next < began[0].at + 100s; next += 10s)
      thirds.push_back(next);
    std::vector<Instant> sent = instants(shop.all<HeartbeatSent>());
    // At the hundredth second the handler and the keeper meet.
    if (!sent.empty() && sent.back() == began[0].at + 100s) sent.pop_back();
    EXPECT_EQ(sent, thirds) << profile;
  }
}

TEST(LeaseTest, IsNotKeptLongerThanTheHandlerRuns) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      WorkerOptions options = shop.options(sleeps(10s), 2);
      options.lease = 3s;
      shop.put();
      shop.put();
      const auto worker = shop.start(options);
      EXPECT_TRUE(shop.all_end());
      shop.pass(1min);
    });
    for (const JobId& id : shop.jobs()) {
      bool ended = false;
      for (const Event& event : shop.events) {
        if (event.delivery.job_id != id) continue;
        ended = ended || std::holds_alternative<HandlerEnded>(event.what);
        EXPECT_FALSE(ended && std::holds_alternative<HeartbeatSent>(event.what)) << seed;
      }
      EXPECT_TRUE(ended);
    }
  }
}

TEST(LeaseTest, IsLostWhereAHeartbeatIsRefusedAndTheHandlerStops) {
  Trouble trouble;
  int beats = 0;
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (std::holds_alternative<Extend>(request) && ++beats == 2)
      return lease_lost(LeaseReason::mismatch, "another has it");
    return std::nullopt;
  };
  Shop shop({.trouble = &trouble});
  Interruption seen = Interruption::none;
  shop.run([&] {
    WorkerOptions options = shop.options([&](Context& context) {
      auto result = sleeps(1h)(context);
      seen = context.why();
      return result;
    });
    shop.put();
    const auto worker = shop.start(options);
    shop.pass(25s);
    EXPECT_EQ(worker->tallies().leases_lost, 1);
  });
  EXPECT_EQ(seen, Interruption::lease_lost);
  ASSERT_EQ(shop.all<HandlerEnded>().size(), 1u);
  EXPECT_EQ(shop.all<HandlerEnded>()[0].at, at(20s));
  EXPECT_TRUE(shop.all<SettleSent>().empty()) << "nothing is settled under a lost lease";
}

TEST(LeaseTest, OutlivesHeartbeatsWithoutAnAnswerAsLongAsItLasts) {
  Trouble trouble;
  Shop shop({.trouble = &trouble});
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    const bool is_away = shop.now() >= at(10s) && shop.now() < at(28s);
    if (std::holds_alternative<Extend>(request) && is_away) return Trouble::no_answer();
    return std::nullopt;
  };
  shop.run([&] {
    shop.put();
    const auto worker = shop.start(shop.options(sleeps(1min)));
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(shop.states(), std::vector{JobState::done});
  });
  EXPECT_TRUE(shop.all<LeaseLost>().empty());
  EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u);
}

TEST(LeaseTest, CountsAsLostWhenItIsOverByOurOwnClock) {
  Trouble trouble;
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (std::holds_alternative<Extend>(request)) return Trouble::no_answer();
    return std::nullopt;
  };
  Shop shop({.trouble = &trouble});
  shop.run([&] {
    shop.put();
    WorkerOptions options = shop.options(sleeps(1h));
    const auto worker = shop.start(options);
    shop.pass(30s);
    shop.pass(1ms);
    const auto interrupted = shop.all<Interrupted>();
    ASSERT_EQ(interrupted.size(), 1u);
    EXPECT_EQ(interrupted[0].at, at(30s));
    EXPECT_EQ(what<Interrupted>(interrupted[0]).why, Interruption::lease_lost);
    EXPECT_GT(shop.all<HeartbeatSent>().size(), 3u) << "it is tried again";
  });
  EXPECT_TRUE(shop.all<SettleSent>().empty());
}

TEST(LeaseTest, OfACancelledJobIsLostAndTheHandlerIsToldWhy) {
  for (const auto profile : {"reference", "trace", "upnext"}) {
    Shop shop({.profile = profile});
    Interruption seen = Interruption::none;
    shop.run([&] {
      const JobId id = shop.put();
      WorkerOptions options = shop.options([&](Context& context) {
        auto result = sleeps(1h)(context);
        seen = context.why();
        return result;
      });
      options.lease = 30s;
      const auto worker = shop.start(options);
      shop.pass(11s);
      shop.cancel(id);
      shop.pass(10s);
      EXPECT_EQ(shop.state(id), JobState::cancelled);
      EXPECT_EQ(worker->tallies().interrupted.at(Interruption::cancelled), 1);
    });
    EXPECT_EQ(seen, Interruption::cancelled) << profile;
    EXPECT_TRUE(shop.all<SettleSent>().empty()) << profile;
  }
}

// The call that claims takes longer than the lease: no handler begins on it.
TEST(LeaseTest, ThatIsOverBeforeTheHandlerBeginsIsNotUsed) {
  Trouble trouble;
  Shop shop({.trouble = &trouble});
  trouble.after = [&](const Request& request) -> std::optional<Error> {
    if (std::holds_alternative<Reserve>(request) && shop.now() == run_epoch) shop.pass(31s);
    return std::nullopt;
  };
  shop.run([&] {
    shop.put();
    const auto worker = shop.start(shop.options(succeeds));
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(worker->tallies().not_dispatched.at(Hindrance::lease_over), 1);
  });
  EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u);
  EXPECT_GE(shop.all<HandlerBegan>()[0].at, at(31s));
}

// A runtime whose clock somebody sets back; how long is waited does not change by that, as on a
// machine.
class SetBackRuntime final : public Runtime, private Clock {
 public:
  explicit SetBackRuntime(Runtime& inner) : inner_(inner) {}
  Duration set_back{0};

  Clock& clock() override { return *this; }
  std::unique_ptr<Task> start(std::string name,
                              std::function<void(std::stop_token)> body) override {
    return inner_.start(std::move(name), std::move(body));
  }
  std::unique_ptr<Monitor> monitor(const char* name) override {
    return std::make_unique<SetBackMonitor>(*this, inner_.monitor(name));
  }

 private:
  struct SetBackMonitor final : Monitor {
    SetBackMonitor(SetBackRuntime& its, std::unique_ptr<Monitor> monitor)
        : runtime(its), inner(std::move(monitor)) {}
    void lock() override { inner->lock(); }
    void unlock() override { inner->unlock(); }
    bool wait_until(std::optional<Instant> deadline) override {
      if (!deadline) return inner->wait_until(deadline);
      // By our hands there may be time left when it was waited for so long.
      return inner->wait_until(*deadline + runtime.set_back) || runtime.now() < *deadline;
    }
    void notify_one() override { inner->notify_one(); }
    void notify_all() override { inner->notify_all(); }
    SetBackRuntime& runtime;
    std::unique_ptr<Monitor> inner;
  };
  Instant now() const override { return inner_.clock().now() - set_back; }
  void sleep_until(Instant when, std::stop_token stop) override {
    inner_.clock().sleep_until(when + set_back, stop);
  }

  Runtime& inner_;
};

TEST(LeaseTest, IsKeptThoughOurClockIsSetBack) {
  Shop shop({.profile = "weave"});  // the store lives by its own
  shop.run([&] {
    SetBackRuntime set_back(shop.runtime());
    WorkerOptions options = shop.options(sleeps(2min));
    options.lease = 6s;
    shop.put();
    auto worker = std::move(Worker::make(set_back, shop.driver(), options)).value();
    ASSERT_TRUE(worker->start().ok());
    shop.pass(21s);
    set_back.set_back = 1h;
    const auto other = shop.start(shop.options(succeeds));
    shop.pass(1min);
    EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u);
    EXPECT_EQ(shop.state("j0"), JobState::leased);
    EXPECT_GE(worker->tallies().heartbeats, 35);
    shop.pass(1h);
  });
}

TEST(SetBackClockTest, KeepsNobodyFromPollingNorFromEnding) {
  Shop shop({.profile = "weave"});
  shop.run([&] {
    SetBackRuntime set_back(shop.runtime());
    WorkerOptions options = shop.options(sleeps(10min));
    options.handlers["quick"].run = succeeds;
    auto worker = std::move(Worker::make(set_back, shop.driver(), options)).value();
    ASSERT_TRUE(worker->start().ok());
    shop.pass(1min);
    set_back.set_back = 1h;
    NewJob quick;
    quick.type = "quick";
    const JobId id = shop.put(quick);
    shop.pass(5s);
    EXPECT_EQ(shop.state(id), JobState::done);
    shop.put();
    shop.pass(5s);
    const auto again = shop.runtime().start("hand", [&](std::stop_token) {
      shop.pass(10s);
      set_back.set_back = 2h;
    });
    const Instant before = shop.now();
    static_cast<void>(worker->shutdown());
    EXPECT_LE(shop.now() - before, 2min);
  });
}

// --- how long a handler may run ---

TEST(TimeoutTest, InterruptsTheHandlerAndIsAFailure) {
  struct Row {
    std::optional<Duration> of_job, of_handler;
    std::optional<Duration> expected;
  };
  for (const Row& row : {Row{40s, std::nullopt, 40s}, Row{std::nullopt, 50s, 50s},
                         Row{70s, 50s, 70s}, Row{0s, 50s, 50s}, Row{0s, std::nullopt, {}}}) {
    Shop shop;
    Interruption seen = Interruption::none;
    shop.run([&] {
      WorkerOptions options = shop.options([&](Context& context) {
        auto result = sleeps(100s)(context);
        seen = context.why();
        return result;
      });
      options.handlers["t"].timeout = row.of_handler;
      options.lease = 6s;  // far shorter: the two have nothing to do with each other
      NewJob job;
      job.timeout = row.of_job;
      job.max_attempts = 1;
      const JobId id = shop.put(job);
      const auto worker = shop.start(options);
      EXPECT_TRUE(shop.all_end());
      const JobView view = shop.get(id);
      EXPECT_EQ(view.job.state, row.expected ? JobState::dead : JobState::done);
      if (row.expected) {
        EXPECT_EQ(view.dead->error, "timed out: interrupted");
      }
    });
    EXPECT_EQ(shop.all<HandlerEnded>()[0].at, at(row.expected.value_or(100s)));
    EXPECT_EQ(seen, row.expected ? Interruption::timed_out : Interruption::none);
    EXPECT_TRUE(shop.all<LeaseLost>().empty());
  }
}

TEST(TimeoutTest, IsRetriedLikeAnyFailure) {
  Shop shop;
  shop.run([&] {
    WorkerOptions options = shop.options(sleeps(1h));
    options.handlers["t"].timeout = 1s;
    const JobId id = shop.put();
    const auto worker = shop.start(options);
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(shop.get(id).job.attempts, 3);
  });
  EXPECT_EQ(shop.all<HandlerBegan>().size(), 3u);
}

TEST(TimeoutTest, IsAFailureThoughTheHandlerSaysThatItSucceeded) {
  Shop shop;
  shop.run([&] {
    WorkerOptions options = shop.options([](Context& context) -> HandlerResult {
      context.clock().sleep_until(context.clock().now() + 2s, {});
      return Success{};
    });
    options.handlers["t"].timeout = 1s;
    NewJob job;
    job.max_attempts = 1;
    const JobId id = shop.put(job);
    const auto worker = shop.start(options);
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(shop.get(id).dead->error, "timed out");
  });
}

// Whoever ignores that its time is up loses its lease, and only its own slot.
TEST(TimeoutTest, OfAHandlerThatDoesNotCareHurtsItsOwnSlotAlone) {
  Shop shop;
  shop.run([&] {
    int runs = 0;
    WorkerOptions options = shop.options(
        [&](Context& context) -> HandlerResult {
          if (context.job().id == "j0" && ++runs == 1)
            context.clock().sleep_until(context.clock().now() + 10min, {});
          return Success{};
        },
        2);
    options.handlers["t"].timeout = 1s;
    shop.put();
    const auto worker = shop.start(options);
    for (int i = 0; i < 5; ++i) {
      shop.put();
      shop.pass(1s);
    }
    EXPECT_TRUE(shop.all_end(2min)) << "another run of it succeeds meanwhile";
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(shop.states(), std::vector(6, JobState::done));
    shop.pass(10min);
  });
  EXPECT_EQ(shop.all<LeaseLost>().size(), 1u);
}

}  // namespace
}  // namespace assay::engine
