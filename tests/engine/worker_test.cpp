// A worker at its work: what becomes of jobs.
#include "engine/worker.h"

#include <set>
#include <system_error>

#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

std::vector<SettleKind> settles(const Shop& shop) {
  std::vector<SettleKind> kinds;
  for (const Event& event : shop.all<SettleAnswered>())
    kinds.push_back(what<SettleAnswered>(event).kind);
  return kinds;
}

TEST(WorkerTest, RunsAJobOnceAndAcksIt) {
  Shop shop;
  shop.run([&] {
    const auto worker = shop.start(shop.options(succeeds));
    const JobId id = shop.put();
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(shop.state(id), JobState::done);
  });
  EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u);
  EXPECT_EQ(settles(shop), std::vector{SettleKind::ack});
}

TEST(WorkerTest, TellsItsWorkInOrder) {
  Shop shop;
  shop.run([&] {
    shop.put();
    const auto worker = shop.start(shop.options(sleeps(1s)));
    shop.pass(1500ms);
    static_cast<void>(worker->shutdown());
  });
  const Token token = shop.all<Claimed>().at(0).delivery.token;
  const std::string me = "w/0 j0#1 " + token + " ";
  std::vector<std::string> story = shop.story();
  std::erase_if(story, [](const std::string& line) { return line.ends_with("idle"); });
  EXPECT_EQ(story,
            (std::vector<std::string>{
                "0.000 w started", "0.000 " + me + "claimed q/t", "0.000 " + me + "handler began",
                "1.000 " + me + "handler succeeded", "1.000 " + me + "ack sent, try 1",
                "1.000 " + me + "ack answered ok", "1.500 w draining", "1.500 w ended"}));
}

TEST(WorkerTest, TurnsWhateverAHandlerThrowsIntoAFailure) {
  for (const int kind : {0, 1, 2}) {
    Shop shop;
    shop.run([&] {
      const auto worker = shop.start(shop.options([kind](Context&) -> HandlerResult {
        if (kind == 0) throw std::runtime_error("thrown");
        if (kind == 1) throw 7;
        return Failure{"returned"};
      }));
      NewJob job;
      job.max_attempts = 1;
      const JobId id = shop.put(job);
      EXPECT_TRUE(shop.all_end());
      const JobView view = shop.get(id);
      EXPECT_EQ(view.job.state, JobState::dead);
      EXPECT_EQ(view.dead->reason, "limit reached");
      EXPECT_EQ(view.dead->error, kind == 0   ? "thrown"
                                  : kind == 1 ? "the handler threw something that is no exception"
                                              : "returned");
    });
  }
}

TEST(WorkerTest, RunsAFailingJobAsOftenAsItsLimitSaysInEachProfile) {
  struct Row {
    const char* profile;
    std::int64_t runs, counter;
  };
  for (const Row& row : {Row{"reference", 2, 2}, Row{"taskharbor", 2, 2}, Row{"trace", 2, 2},
                         Row{"upnext", 3, 3}, Row{"weave", 3, 2}}) {
    Shop shop({.profile = row.profile});
    shop.run([&] {
      const auto worker = shop.start(shop.options(fails));
      NewJob job;
      job.max_attempts = 2;
      const JobId id = shop.put(job);
      EXPECT_TRUE(shop.all_end(24h)) << row.profile;
      EXPECT_EQ(shop.state(id), JobState::dead) << row.profile;
      EXPECT_EQ(shop.get(id).job.attempts, row.counter) << row.profile;
      EXPECT_EQ(shop.get(id).job.last_error, "no luck") << row.profile;
    });
    const auto began = shop.all<HandlerBegan>();
    ASSERT_EQ(began.size(), static_cast<std::size_t>(row.runs)) << row.profile;
    for (std::size_t i = 0; i < began.size(); ++i)
      EXPECT_EQ(began[i].delivery.run, static_cast<std::int64_t>(i) + 1) << row.profile;
  }
}

TEST(WorkerTest, WaitsForTheRetryTimeWithinTheWindowOfTheFailure) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      WorkerOptions options = shop.options(fails);
      options.poll_min = options.poll_max = 1ms;
      const auto worker = shop.start(options);
      shop.put();
      EXPECT_TRUE(shop.all_end());
    });
    const auto began = shop.all<HandlerBegan>();
    const auto ended = shop.all<HandlerEnded>();
    ASSERT_EQ(began.size(), 3u);
    EXPECT_LE(began[1].at - ended[0].at, 500ms + 1ms);
    EXPECT_LE(began[2].at - ended[1].at, 1000ms + 1ms);
  }
}

TEST(WorkerTest, BuriesAtOnceWhatIsUnrecoverable) {
  for (const auto profile : {"reference", "trace", "weave"}) {
    Shop shop({.profile = profile});
    shop.run([&] {
      const auto worker = shop.start(
          shop.options([](Context&) -> HandlerResult { throw Unrecoverable("poison"); }));
      const JobId id = shop.put();
      EXPECT_TRUE(shop.all_end());
      EXPECT_EQ(shop.state(id), JobState::dead) << profile;
    });
    EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u) << profile;
  }
}

TEST(WorkerTest, BuriesATypeThatNobodyKnows) {
  Shop shop;
  shop.run([&] {
    const auto worker = shop.start(shop.options(succeeds));
    NewJob job;
    job.type = "strange";
    const JobId id = shop.put(job);
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(shop.get(id).dead->error, "no handler for the type strange");
    EXPECT_EQ(worker->tallies().not_dispatched.at(Hindrance::unknown_type), 1);
  });
  EXPECT_TRUE(shop.all<HandlerBegan>().empty());
}

TEST(WorkerTest, LivesByThePolicyOfTheHandlerWhereItHasOne) {
  Shop shop;
  shop.run([&] {
    WorkerOptions options = shop.options(fails);
    options.handlers["t"].policy = RetryPolicy{.runs = 6, .most_runs = 6};
    const auto worker = shop.start(options);
    shop.put();
    NewJob greedy;
    greedy.max_attempts = 50;
    shop.put(greedy);
    EXPECT_TRUE(shop.all_end());
  });
  EXPECT_EQ(shop.all_of<HandlerBegan>("j0").size(), 6u);
  EXPECT_EQ(shop.all_of<HandlerBegan>("j1").size(), 6u);
}

TEST(WorkerTest, PutsMiddlewareAroundHandlersTheFirstOutermost) {
  std::string seen;
  Shop shop;
  shop.run([&] {
    WorkerOptions options = shop.options([&](Context&) -> HandlerResult {
      seen += "h";
      return Success{};
    });
    for (const char name : {'a', 'b'})
      options.middleware.push_back([&seen, name](Context& context, const Handler& next) {
        seen += name;
        auto result = next(context);
        seen += name;
        return result;
      });
    options.middleware.push_back([](Context& context, const Handler& next) -> HandlerResult {
      if (context.job().payload == "bad") return Failure{"not let through", true};
      return next(context);
    });
    const auto worker = shop.start(options);
    shop.put();
    EXPECT_TRUE(shop.all_end());
    NewJob bad;
    bad.payload = "bad";
    const JobId id = shop.put(bad);
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(shop.get(id).dead->error, "not let through");
  });
  EXPECT_EQ(seen, "abhbaabba");
}

// --- slots ---

int most_at_once(const Shop& shop) {
  int now = 0, most = 0;
  for (const Event& event : shop.events) {
    if (std::holds_alternative<HandlerBegan>(event.what)) most = std::max(most, ++now);
    if (std::holds_alternative<HandlerEnded>(event.what)) --now;
  }
  return most;
}

TEST(WorkerTest, RunsAsManyAtOnceAsItHasSlots) {
  for (const auto profile : {"reference", "taskharbor", "trace", "weave"})
    for (const int slots : {1, 3, 8}) {
      Shop shop({.profile = profile});
      shop.run([&] {
        for (int i = 0; i < 12; ++i) shop.put();
        const auto worker = shop.start(shop.options(sleeps(1s), slots));
        EXPECT_TRUE(shop.all_end());
      });
      EXPECT_EQ(most_at_once(shop), slots) << profile;
      // As soon as they can: no slot stands idle while there is work.
      EXPECT_EQ(shop.all<HandlerEnded>().back().at - run_epoch, 1s * ((12 + slots - 1) / slots))
          << profile;
    }
}

// Every claim is begun at the instant it is made: nothing waits under a lease that nobody uses.
TEST(WorkerTest, ClaimsNothingThatNoSlotIsFreeFor) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      const auto worker = shop.start(shop.options(sleeps(700ms), 3));
      for (int i = 0; i < 10; ++i) {
        shop.put();
        shop.pass(Duration{(i % 3) * 150});
      }
      EXPECT_TRUE(shop.all_end());
    });
    for (const JobId& id : shop.jobs()) {
      const auto claimed = shop.all_of<Claimed>(id), began = shop.all_of<HandlerBegan>(id);
      ASSERT_EQ(claimed.size(), 1u);
      ASSERT_EQ(began.size(), 1u);
      EXPECT_EQ(claimed[0].at, began[0].at);
    }
  }
}

TEST(WorkerTest, HasOnePollerWhileThereIsNothingToDo) {
  std::vector<std::int64_t> asked;
  Trouble trouble;
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (const auto* reserve = std::get_if<Reserve>(&request)) asked.push_back(reserve->max);
    return std::nullopt;
  };
  Shop shop({.trouble = &trouble});
  shop.run([&] {
    WorkerOptions options = shop.options(succeeds, 8);
    options.poll_min = options.poll_max = 1s;
    const auto worker = shop.start(options);
    shop.pass(1min);
    asked.clear();
    shop.pass(10min);
  });
  EXPECT_GE(asked.size(), 10u * 60);
  EXPECT_LE(asked.size(), 10u * 60 * 2);  // jitter takes at most half of a pause
}

// Where a claim takes one job: whoever finds one wakes the next.
TEST(WorkerTest, WakesOneSlotAfterTheOtherWhereThereIsWork) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Shop shop({.seed = seed, .profile = "taskharbor"});
    shop.run([&] {
      WorkerOptions options = shop.options(sleeps(1h), 5);
      options.poll_min = options.poll_max = 1min;
      const auto worker = shop.start(options);
      shop.pass(1s);
      for (int i = 0; i < 5; ++i) shop.put();
      shop.pass(1min);
      const auto began = shop.all<HandlerBegan>();
      ASSERT_EQ(began.size(), 5u) << seed;
      EXPECT_EQ(began.front().at, began.back().at) << seed;
    });
  }
}

// The idle one polls seldom, but the busy one finds more than it can take.
TEST(WorkerTest, WakesAnIdleSlotWhenABusyOneFindsMore) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Shop shop({.seed = seed, .profile = "taskharbor"});
    shop.run([&] {
      shop.put();
      WorkerOptions options = shop.options(sleeps(10s), 2);
      options.poll_min = options.poll_max = 1h;
      const auto worker = shop.start(options);
      shop.pass(5s);
      shop.put();
      shop.put();
      shop.pass(6s);
      EXPECT_EQ(shop.all<HandlerBegan>().size(), 3u) << seed;
    });
  }
}

TEST(WorkerTest, AsksForAsManyAsItHasSlotsFree) {
  std::vector<std::int64_t> asked;
  Trouble trouble;
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (const auto* reserve = std::get_if<Reserve>(&request)) asked.push_back(reserve->max);
    return std::nullopt;
  };
  Shop shop({.trouble = &trouble});
  shop.run([&] {
    const auto worker = shop.start(shop.options(sleeps(1s), 4));
    shop.pass(10s);
    asked.clear();
    for (int i = 0; i < 4; ++i) shop.put();
    EXPECT_TRUE(shop.all_end());
  });
  EXPECT_NE(std::ranges::find(asked, 4), asked.end());
  EXPECT_LE(std::ranges::max(asked), 4);
}

TEST(WorkerTest, StarvesNoneOfItsQueues) {
  for (const bool has_sets : {true, false}) {
    Shop shop({.alter = [&](Profile& p) {
      if (!has_sets) p.capabilities.erase("queue_set_claim");
    }});
    shop.run([&] {
      NewJob job;
      for (job.queue = "hot"; shop.jobs().size() < 40;) shop.put(job);
      job.queue = "cold";
      shop.put(job);
      WorkerOptions options = shop.options(sleeps(1s));
      options.queues = {"hot", "cold"};
      const auto worker = shop.start(options);
      EXPECT_TRUE(shop.all_end());
    });
    const auto began = shop.all<HandlerBegan>();
    const auto cold =
        std::ranges::find_if(began, [](const Event& e) { return e.delivery.job_id == "j40"; });
    if (!has_sets) {
      EXPECT_LE(cold - began.begin(), 2);
    }
    EXPECT_NE(cold, began.end());
  }
}

// --- limits of types ---

TEST(WorkerTest, RunsNoMoreOfATypeAtOnceThanAllowed) {
  for (const auto profile : {"reference", "weave"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Shop shop({.seed = seed, .profile = profile});
      shop.run([&] {
        WorkerOptions options = shop.options(sleeps(1s), 4);
        options.handlers["t"].concurrency = 2;
        options.handlers["other"].run = succeeds;
        const auto worker = shop.start(options);
        NewJob other;
        other.type = "other";
        for (int i = 0; i < 6; ++i) {
          shop.put();
          shop.put(other);
        }
        EXPECT_TRUE(shop.all_end());
        for (const JobId& id : shop.jobs()) {
          EXPECT_EQ(shop.state(id), JobState::done);
          EXPECT_EQ(shop.get(id).job.attempts, 0) << "putting back counts nothing";
        }
        EXPECT_GT(worker->tallies().not_dispatched[Hindrance::no_capacity], 0);
      });
      int at_once = 0;
      for (const Event& event : shop.events) {
        const bool is_t =
            !event.delivery.job_id.empty() && std::stoi(event.delivery.job_id.substr(1)) % 2 == 0;
        if (is_t && std::holds_alternative<HandlerBegan>(event.what)) ++at_once;
        if (is_t && std::holds_alternative<HandlerEnded>(event.what)) --at_once;
        ASSERT_LE(at_once, 2);
      }
    }
}

TEST(WorkerTest, ClaimsNothingWhileNoTypeMayRun) {
  Shop shop;
  shop.run([&] {
    WorkerOptions options = shop.options(sleeps(10s), 4);
    options.handlers["t"].concurrency = 1;
    const auto worker = shop.start(options);
    for (int i = 0; i < 3; ++i) shop.put();
    shop.pass(5s);
    EXPECT_EQ(shop.all<HandlerBegan>().size(), 1u);
    EXPECT_TRUE(shop.all_end());
  });
  // Of those that were claimed together with the first, each was put back once at most.
  EXPECT_LE(shop.all<NotDispatched>().size(), 4u);
}

TEST(WorkerTest, BeginsATypeNoMoreOftenThanItsRateAndDropsNothing) {
  for (const auto profile : {"reference", "upnext", "weave"}) {
    Shop shop({.profile = profile});
    shop.run([&] {
      WorkerOptions options = shop.options(succeeds, 3);
      options.handlers["t"].rate = Rate{1s, 2};
      const auto worker = shop.start(options);
      for (int i = 0; i < 8; ++i) shop.put();
      EXPECT_TRUE(shop.all_end()) << profile;
      for (const JobId& id : shop.jobs()) {
        EXPECT_EQ(shop.state(id), JobState::done);
        EXPECT_LE(shop.get(id).job.attempts, 1) << profile;
      }
    });
    const auto began = shop.all<HandlerBegan>();
    ASSERT_EQ(began.size(), 8u) << profile;
    // Never more than a bucket and what has dripped into it since.
    for (std::size_t i = 0; i < began.size(); ++i)
      for (std::size_t j = i; j < began.size(); ++j)
        EXPECT_LE(static_cast<std::int64_t>(j - i + 1), 2 + (began[j].at - began[i].at) / 1s);
    // Each that has to wait is told when to come back, and then may begin.
    EXPECT_LE(shop.all<NotDispatched>().size(), 8u) << profile;
  }
}

// A runtime that has only so many tasks to give.
class PoorRuntime final : public Runtime {
 public:
  PoorRuntime(Runtime& inner, int tasks) : inner_(inner), left_(tasks) {}
  Clock& clock() override { return inner_.clock(); }
  std::unique_ptr<Monitor> monitor(const char* name) override { return inner_.monitor(name); }
  std::unique_ptr<Task> start(std::string name,
                              std::function<void(std::stop_token)> body) override {
    if (left_-- == 0)
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return inner_.start(std::move(name), std::move(body));
  }

 private:
  Runtime& inner_;
  int left_;
};

TEST(WorkerTest, DoesNotStartAtAllWhereThereAreTooFewTasks) {
  for (const int tasks : {0, 1, 2, 4, 5}) {
    Shop shop;
    shop.run([&] {
      PoorRuntime poor(shop.runtime(), tasks);
      shop.put();
      const auto worker =
          std::move(Worker::make(poor, shop.driver(), shop.options(sleeps(1s), 3))).value();
      const Status started = worker->start();
      EXPECT_EQ(started.ok(), tasks == 5);
      if (tasks < 5) {
        EXPECT_EQ(started.error().code, ErrorCode::unavailable);
        shop.pass(1min);
        EXPECT_NE(shop.state("j0"), JobState::leased);
      }
    });
  }
}

// --- what is refused at once ---

TEST(WorkerTest, RefusesOptionsThatMakeNoSense) {
  Shop shop;
  const auto refusal = [&](auto alter) {
    WorkerOptions options = shop.options(succeeds);
    alter(options);
    const auto made = Worker::make(shop.runtime(), shop.driver(), options);
    return made.ok() ? "" : made.error().message;
  };
  EXPECT_EQ(refusal([](WorkerOptions&) {}), "");
  EXPECT_EQ(refusal([](WorkerOptions& o) { o.queues = {}; }), "the worker has no queue");
  EXPECT_EQ(refusal([](WorkerOptions& o) { o.queues = {""}; }), "a queue's name is empty");
  EXPECT_EQ(refusal([](WorkerOptions& o) { o.handlers = {}; }), "the worker has no handler");
  EXPECT_EQ(refusal([](WorkerOptions& o) { o.handlers["x"]; }), "the handler of x is empty");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.concurrency = 0; }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.lease = 2ms; }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.lease = Duration::max(); }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.grace = -1ms; }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.defer = Duration::max(); }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.handlers["t"].rate = Rate{1ms, INT64_MAX}; }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.handlers["t"].timeout = 0ms; }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.handlers["t"].concurrency = 0; }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.handlers["t"].rate = Rate{0ms, 1}; }), "");
  EXPECT_NE(refusal([](WorkerOptions& o) { o.policy = RetryPolicy{.runs = 0}; }), "");
}

}  // namespace
}  // namespace assay::engine
