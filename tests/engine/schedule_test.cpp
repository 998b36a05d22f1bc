// Schedules: one job a window, whoever fires it; what was missed goes by the policy.
#include "engine/schedule.h"

#include <set>

#include "engine/scheduler.h"
#include "tests/engine/post.h"

namespace assay::engine {
namespace {

// 2030-01-01T00:00Z is where time begins.
constexpr Instant begin = run_epoch;

Schedule every_minute(const std::string& name = "s") {
  Schedule schedule;
  schedule.name = name;
  schedule.cron = "* * * * *";
  schedule.queue = "q";
  schedule.type = "t";
  schedule.payload = "p";
  return schedule;
}

class Bureau {
 public:
  explicit Bureau(Shop& shop)
      : shop_(shop),
        desk_(shop.driver().open({"bureau", Role::admin}).value()),
        schedules(shop.clock(), *desk_) {}

  std::unique_ptr<Scheduler> make(std::string name = "s1", Driver* driver = nullptr,
                                  bool outbox = false) {
    SchedulerOptions options;
    options.name = std::move(name);
    options.outbox = outbox;
    options.every = 5s;
    options.outage_max = 2s;
    options.observer = &shop_;
    auto made = Scheduler::make(shop_.runtime(), driver ? *driver : shop_.driver(), options);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(made).value();
  }
  std::unique_ptr<Scheduler> start(std::string name = "s1", Driver* driver = nullptr) {
    auto made = make(std::move(name), driver);
    EXPECT_TRUE(made->start().ok());
    return made;
  }
  void turn(Scheduler& scheduler) {
    const auto turned = scheduler.turn();
    EXPECT_TRUE(turned.ok()) << turned.error().message;
  }

  // The minutes after the beginning whose windows made a job, each as often as it did.
  std::vector<std::int64_t> fired(const std::string& name = "s") {
    std::vector<std::int64_t> minutes;
    const auto page = desk_->list(shop_.now(), {"q", {}, 1000, {}});
    EXPECT_TRUE(page.ok() && !page->cursor);
    std::multiset<JobId> made;
    for (const Job& job : page->jobs) made.insert(job.id);
    for (std::int64_t minute = -10; minute < 30; ++minute)
      minutes.insert(minutes.end(),
                     made.count(window_id(name, begin + std::chrono::minutes(minute))), minute);
    jobs = page->jobs;
    return minutes;
  }
  Session& session() { return *desk_; }

  std::vector<Job> jobs;

 private:
  Shop& shop_;
  std::unique_ptr<Session> desk_;

 public:
  Schedules schedules;
};

void in_bureau(const std::function<void(Shop&, Bureau&)>& body, Terms terms = {}) {
  Shop shop(std::move(terms));
  shop.run([&] {
    Bureau bureau(shop);
    body(shop, bureau);
  });
}

TEST(ScheduleTest, MakesOneJobAWindow) {
  in_bureau([](Shop& shop, Bureau& bureau) {
    EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
    const auto scheduler = bureau.start();
    shop.pass(59'999ms);
    EXPECT_EQ(bureau.fired(), std::vector<std::int64_t>{});
    shop.pass(1ms);
    shop.pass(1ms);
    EXPECT_EQ(bureau.fired(), std::vector<std::int64_t>{1}) << "in its first millisecond";
    shop.pass(4min);
    EXPECT_EQ(bureau.fired(), (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(bureau.jobs[0].payload, "p");
    EXPECT_EQ(bureau.jobs[0].type, "t");
    EXPECT_EQ(bureau.jobs[0].id, "cron/s/2030-01-01T00:01Z");
    const auto view = bureau.schedules.get("s");
    EXPECT_EQ(view->fired, 5);
    EXPECT_EQ(view->last, begin + 5min);
    EXPECT_EQ(view->next, begin + 6min);
    EXPECT_EQ(shop.all<WindowFired>().size(), 5u);
    EXPECT_EQ(shop.all<WindowsSkipped>().size(), 0u);
  });
}

// Any number at once, whose calls and answers are lost: one job a window, and one for each.
TEST(ScheduleTest, MakesOneJobAWindowWithTwoSchedulersThatLoseAnswers) {
  for (const auto profile : {"reference", "trace", "weave", "taskharbor", "upnext"})
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      Random dice(seed);
      Trouble trouble;
      const auto spoil = [&](const auto&...) -> std::optional<Error> {
        if (dice.below(100) < 20) return Trouble::no_answer();
        return std::nullopt;
      };
      trouble.before_commit = [&](const Commit&) { return spoil(); };
      trouble.after_commit = [&](const Commit&, const auto&) { return spoil(); };
      trouble.reading = trouble.opening = [&] { return spoil(); };
      Terms terms;
      terms.seed = seed;
      terms.profile = profile;
      terms.pct = seed % 4 == 0;
      terms.alter = [](Profile& p) { p.capabilities.insert({"list_paged", "inspect"}); };
      in_bureau(
          [&](Shop& shop, Bureau& bureau) {
            for (const auto name : {"a", "b"})
              EXPECT_TRUE(bureau.schedules.declare(every_minute(name)).ok());
            TroubledDriver troubled(shop.driver(), trouble);
            const auto one = bureau.start("s1", &troubled);
            const auto two = bureau.start("s2", &troubled);
            shop.pass(5min + 30s);
            for (const auto name : {"a", "b"})
              EXPECT_EQ(bureau.fired(name), (std::vector<std::int64_t>{1, 2, 3, 4, 5}))
                  << profile << " " << seed;
            EXPECT_EQ(bureau.jobs.size(), 10u);
            EXPECT_EQ(bureau.schedules.get("a")->fired, 5);
          },
          terms);
      if (testing::Test::HasFailure()) FAIL() << profile << " " << seed;
    }
}

// A scheduler dies between any two calls; another one goes on.
TEST(ScheduleTest, MakesOneJobAWindowThoughASchedulerDiesBetweenAnyTwoCalls) {
  for (int n = 1; n <= 60; ++n)
    in_bureau([&](Shop& shop, Bureau& bureau) {
      EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
      int calls = 0;
      Trouble trouble;
      const auto count = [&](const auto&...) -> std::optional<Error> {
        if (++calls >= n) return Trouble::no_answer();
        return std::nullopt;
      };
      trouble.before_commit = [&](const Commit&) { return count(); };
      trouble.after_commit = [&](const Commit&, const auto&) { return count(); };
      trouble.reading = [&] { return count(); };
      TroubledDriver mortal(shop.driver(), trouble);
      {
        const auto scheduler = bureau.make("s1", &mortal);
        for (int i = 0; i < 10; ++i) {
          shop.pass(30s);
          static_cast<void>(scheduler->turn());
        }
      }
      const auto heir = bureau.start("s2");
      shop.pass(2min + 1s);
      const auto fired = bureau.fired();
      EXPECT_EQ(std::set(fired.begin(), fired.end()).size(), bureau.jobs.size()) << n;
      EXPECT_GE(fired.size(), 3u) << n << ", of which one was the latest of those missed";
      EXPECT_EQ(fired.back(), 7) << n;
      EXPECT_EQ(bureau.schedules.get("s")->fired, static_cast<std::int64_t>(fired.size())) << n;
    });
}

// Nobody was there from 00:00 to 00:10:30.
std::vector<std::int64_t> after_an_absence(Schedule schedule, Shop* story = nullptr) {
  std::vector<std::int64_t> fired;
  Shop own;
  Shop& shop = story ? *story : own;
  shop.run([&] {
    Bureau bureau(shop);
    EXPECT_TRUE(bureau.schedules.declare(schedule).ok());
    shop.pass(10min + 30s);
    const auto scheduler = bureau.start();
    shop.pass(1s);
    fired = bureau.fired();
    shop.pass(1min);
    auto later = bureau.fired();
    std::erase_if(later, [&](std::int64_t m) { return std::ranges::count(fired, m); });
    EXPECT_EQ(later, std::vector<std::int64_t>{11}) << "then it goes on as ever";
  });
  return fired;
}

TEST(ScheduleTest, FiresTheLatestOfThoseThatWereMissed) {
  Shop shop;
  EXPECT_EQ(after_an_absence(every_minute(), &shop), std::vector<std::int64_t>{10});
  const auto skipped = shop.all<WindowsSkipped>();
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(what<WindowsSkipped>(skipped[0]).first, begin + 1min);
  EXPECT_EQ(what<WindowsSkipped>(skipped[0]).last, begin + 9min);
}

TEST(ScheduleTest, SkipsThoseThatWereMissed) {
  Schedule schedule = every_minute();
  schedule.missed = MissedRuns::skip;
  schedule.in_time = 20s;
  EXPECT_EQ(after_an_absence(schedule), std::vector<std::int64_t>{});
  schedule.in_time = 30s;
  EXPECT_EQ(after_an_absence(schedule), std::vector<std::int64_t>{10}) << "it is still in time";
  schedule.in_time = 90s;
  EXPECT_EQ(after_an_absence(schedule), (std::vector<std::int64_t>{9, 10}));
}

TEST(ScheduleTest, CatchesUpWithAsManyAsItMay) {
  Schedule schedule = every_minute();
  schedule.missed = MissedRuns::catch_up;
  schedule.in_time = 20s;
  schedule.catch_up = 3;
  Shop shop;
  EXPECT_EQ(after_an_absence(schedule, &shop), (std::vector<std::int64_t>{8, 9, 10}));
  const auto skipped = shop.all<WindowsSkipped>();
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(what<WindowsSkipped>(skipped[0]).last, begin + 7min);
  schedule.catch_up = 100;
  EXPECT_EQ(after_an_absence(schedule), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  schedule.catch_up = 1;
  schedule.in_time = 30s;
  EXPECT_EQ(after_an_absence(schedule), (std::vector<std::int64_t>{9, 10}))
      << "one that is in time is not one that was missed";
}

// A year of minutes that nobody fired costs no more than a few.
TEST(ScheduleTest, CatchesUpWithALongAbsenceInOneLook) {
  in_bureau([](Shop& shop, Bureau& bureau) {
    Schedule schedule = every_minute();
    schedule.missed = MissedRuns::catch_up;
    schedule.catch_up = 100;
    EXPECT_TRUE(bureau.schedules.declare(schedule).ok());
    shop.pass(365 * 24h);
    bureau.turn(*bureau.make());
    const auto view = bureau.schedules.get("s");
    EXPECT_GE(view->fired, 100);
    EXPECT_LE(view->fired, 102);
    EXPECT_EQ(view->next, shop.now() + 1min);
  });
}

TEST(ScheduleTest, GoesOnAfterItsJobsFailForGood) {
  in_bureau([](Shop& shop, Bureau& bureau) {
    Schedule schedule = every_minute();
    schedule.limit = 1;
    EXPECT_TRUE(bureau.schedules.declare(schedule).ok());
    const auto scheduler = bureau.start();
    const auto worker = shop.start(shop.options(fails));
    shop.pass(5min + 10s);
    EXPECT_EQ(bureau.fired().size(), 5u);
    for (const Job& job : bureau.jobs) EXPECT_EQ(job.state, JobState::dead);
  });
}

TEST(ScheduleTest, MakesNothingWhilePausedNorAfterwardsOfWhatPassedMeanwhile) {
  for (const MissedRuns missed : {MissedRuns::latest, MissedRuns::skip, MissedRuns::catch_up})
    in_bureau([&](Shop& shop, Bureau& bureau) {
      Schedule schedule = every_minute();
      schedule.missed = missed;
      EXPECT_TRUE(bureau.schedules.declare(schedule).ok());
      const auto scheduler = bureau.start();
      shop.pass(2min + 1s);
      EXPECT_TRUE(bureau.schedules.pause("s").ok());
      EXPECT_TRUE(bureau.schedules.pause("s").ok()) << "once more changes nothing";
      EXPECT_TRUE(bureau.schedules.get("s")->is_paused);
      shop.pass(5min);
      EXPECT_TRUE(bureau.schedules.resume("s").ok());
      EXPECT_TRUE(bureau.schedules.resume("s").ok());
      shop.pass(1min);
      EXPECT_EQ(bureau.fired(), (std::vector<std::int64_t>{1, 2, 8}));
    });
}

TEST(ScheduleTest, IsRemovedAndMayBeDeclaredAgainWithNoWindowTwice) {
  in_bureau([](Shop& shop, Bureau& bureau) {
    EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
    const auto scheduler = bureau.start();
    shop.pass(2min + 1s);
    EXPECT_TRUE(bureau.schedules.remove("s").ok());
    EXPECT_TRUE(bureau.schedules.remove("s").ok()) << "its answer may have been lost";
    EXPECT_EQ(bureau.schedules.get("s").error().code, ErrorCode::not_found);
    EXPECT_EQ(bureau.schedules.list()->schedules.size(), 0u);
    for (const Status& refused :
         {bureau.schedules.pause("s"), bureau.schedules.resume("s"), bureau.schedules.remove("x")})
      EXPECT_EQ(refused.error().code, ErrorCode::not_found);
    shop.pass(2min);
    EXPECT_EQ(bureau.fired(), (std::vector<std::int64_t>{1, 2}));
    // By somebody whose clock is far behind.
    VirtualClock slow(begin);
    EXPECT_TRUE(Schedules(slow, bureau.session()).declare(every_minute()).ok());
    EXPECT_EQ(bureau.schedules.get("s")->next, begin + 3min);
    EXPECT_EQ(bureau.schedules.get("s")->fired, 0);
    shop.pass(1min);
    const auto fired = bureau.fired();
    EXPECT_EQ(std::ranges::count(fired, 2), 1);
    EXPECT_EQ(fired.back(), 5);
  });
}

TEST(ScheduleTest, IsChangedByDeclaringItAnew) {
  in_bureau([](Shop& shop, Bureau& bureau) {
    EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
    const auto scheduler = bureau.start();
    shop.pass(1min + 1s);
    EXPECT_TRUE(bureau.schedules.pause("s").ok());
    const auto before = bureau.schedules.get("s");
    EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
    EXPECT_EQ(*bureau.schedules.get("s"), *before) << "the same changes nothing";
    Schedule hourly = every_minute();
    hourly.cron = "@hourly";
    EXPECT_TRUE(bureau.schedules.declare(hourly).ok());
    const auto view = bureau.schedules.get("s");
    EXPECT_EQ(view->schedule, hourly);
    EXPECT_EQ(view->next, begin + 1h);
    EXPECT_TRUE(view->is_paused);
    EXPECT_EQ(view->fired, 1);
  });
}

TEST(ScheduleTest, IsListedPageByPageInTheOrderOfNames) {
  in_bureau([](Shop&, Bureau& bureau) {
    std::vector<std::string> names;
    for (int i = 0; i < 25; ++i) {
      names.push_back(std::string("n/") + static_cast<char>('a' + i));
      EXPECT_TRUE(bureau.schedules.declare(every_minute(names.back())).ok());
    }
    std::vector<std::string> listed;
    std::optional<std::string> after;
    do {
      const auto page = bureau.schedules.list(after, 10);
      for (const ScheduleView& view : page->schedules) listed.push_back(view.schedule.name);
      after = page->after;
    } while (after);
    EXPECT_EQ(listed, names);
  });
}

TEST(ScheduleTest, RefusesWhatMakesNoSenseWithASentence) {
  in_bureau([](Shop& shop, Bureau& bureau) {
    const auto says = [&](const std::function<void(Schedule&)>& alter) {
      Schedule schedule = every_minute();
      alter(schedule);
      const Status declared = bureau.schedules.declare(schedule);
      return declared.ok() ? "" : declared.error().message;
    };
    using S = Schedule;
    EXPECT_EQ(says([](S& s) { s.name = ""; }), "the schedule has no name");
    EXPECT_EQ(says([](S& s) { s.queue = ""; }), "the queue's name is empty");
    EXPECT_EQ(says([](S& s) { s.type = ""; }), "the type is empty");
    EXPECT_NE(says([](S& s) { s.cron = "0 0 30 2 *"; }).find("never fire"), std::string::npos);
    EXPECT_NE(says([](S& s) { s.cron = "x * * * *"; }).find("minute field"), std::string::npos);
    for (const auto& alter : std::vector<std::function<void(S&)>>{
             [](S& s) { s.name = std::string(201, 'x'); },
             [](S& s) {
               s.name = {"a\0b", 3};
             },
             [](S& s) { s.catch_up = 0; }, [](S& s) { s.catch_up = 101; },
             [](S& s) { s.in_time = -1ms; }, [](S& s) { s.in_time = 2h; },
             [](S& s) { s.limit = -1; }, [](S& s) { s.timeout = 0ms; },
             [](S& s) { s.payload = std::string(1 << 20, 'x'); }})
      EXPECT_NE(says(alter), "");
    EXPECT_EQ(bureau.schedules.list()->schedules.size(), 0u);
    EXPECT_FALSE(Scheduler::make(shop.runtime(), shop.driver(), {.every = 0ms}).ok());
    EXPECT_FALSE(Scheduler::make(shop.runtime(), shop.driver(), {.page = 0}).ok());
  });
}

// A store that does not take the job: the window is passed over, and the schedule shows why.
TEST(ScheduleTest, GoesOnWhereAJobIsRefused) {
  in_bureau([](Shop& shop, Bureau& bureau) {
    NewJob in_the_way;
    in_the_way.id = window_id("s", begin + 1min);
    in_the_way.payload = "somebody else's";
    shop.put(in_the_way);
    EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
    const auto scheduler = bureau.start();
    shop.pass(1min + 1s);
    const auto view = bureau.schedules.get("s");
    EXPECT_EQ(view->fired, 0);
    EXPECT_TRUE(view->last_error.has_value());
    EXPECT_EQ(shop.all<WindowsSkipped>().size(), 1u);
    shop.pass(1min);
    EXPECT_EQ(bureau.schedules.get("s")->fired, 1);
    EXPECT_EQ(bureau.fired(), (std::vector<std::int64_t>{1, 2}));
  });
}

// Between its look and its commit somebody else changed the schedule: nothing of that is undone.
TEST(ScheduleTest, IsNotFiredOnceItWasPausedMeanwhile) {
  in_bureau([](Shop& shop, Bureau& bureau) {
    EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
    Trouble trouble;
    trouble.before_commit = [&](const Commit&) -> std::optional<Error> {
      EXPECT_TRUE(bureau.schedules.pause("s").ok());
      return std::nullopt;
    };
    TroubledDriver driver(shop.driver(), trouble);
    shop.pass(1min);
    bureau.turn(*bureau.make("s1", &driver));
    EXPECT_EQ(bureau.fired(), std::vector<std::int64_t>{});
    EXPECT_TRUE(bureau.schedules.get("s")->is_paused);
    EXPECT_EQ(bureau.schedules.get("s")->fired, 0);
  });
}

// With an outbox the dispatcher's workers hear of what it makes.
TEST(ScheduleTest, HasItsJobsAnnounced) {
  Shop shop(of_trace());
  shop.run([&] {
    Post post(shop);
    Bureau bureau(shop);
    EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
    const auto scheduler = bureau.make("s1", nullptr, true);
    EXPECT_TRUE(scheduler->start().ok());
    DispatcherOptions options = post.options();
    options.loops = {LoopName::outbox};
    const auto dispatcher = post.start(options);
    Listener listener(shop, post.channel(), shop.options(succeeds));
    shop.pass(3min + 1s);
    EXPECT_EQ(bureau.fired(), (std::vector<std::int64_t>{1, 2, 3}));
    for (const Job& job : bureau.jobs) EXPECT_EQ(job.state, JobState::done);
  });
}

TEST(ScheduleTest, IsLookedAtAgainAfterTheStoreWasAway) {
  Trouble trouble;
  bool is_away = true;
  trouble.opening = [&]() -> std::optional<Error> {
    if (is_away) return Trouble::no_answer();
    return std::nullopt;
  };
  in_bureau([&](Shop& shop, Bureau& bureau) {
    EXPECT_TRUE(bureau.schedules.declare(every_minute()).ok());
    TroubledDriver troubled(shop.driver(), trouble);
    const auto scheduler = bureau.start("s1", &troubled);
    shop.pass(3min + 30s);
    EXPECT_GT(shop.all<BackingOff>().size(), 30u);
    is_away = false;
    shop.pass(3s);
    EXPECT_EQ(bureau.fired(), std::vector<std::int64_t>{3});
  });
}

}  // namespace
}  // namespace assay::engine
