// The dispatcher: each loop for itself, with workers that know only what they hear.
#include "engine/dispatcher.h"

#include "tests/engine/post.h"

namespace assay::engine {
namespace {

std::string objection(Shop& shop, const std::function<void(DispatcherOptions&)>& alter) {
  InProcessChannel channel(shop.runtime());
  DispatcherOptions options;
  options.channels["q"] = &channel;
  alter(options);
  const auto made = Dispatcher::make(shop.runtime(), shop.driver(), options);
  return made.ok() ? "" : made.error().message;
}

TEST(DispatcherTest, RefusesWhatMakesNoSense) {
  Shop shop;
  using Options = DispatcherOptions;
  EXPECT_EQ(objection(shop, [](Options&) {}), "");
  for (const auto& alter : std::vector<std::function<void(Options&)>>{
           [](Options& o) { o.name = ""; }, [](Options& o) { o.loops = {}; },
           [](Options& o) { o.channels[""] = o.channels["q"]; },
           [](Options& o) { o.channels["p"] = nullptr; }, [](Options& o) { o.outbox_every = 0ms; },
           [](Options& o) { o.stale_after = -1ms; }, [](Options& o) { o.outage_max = -1ms; },
           [](Options& o) { o.page = 0; }, [](Options& o) { o.page = 1001; },
           [](Options& o) { o.pages = 0; }, [](Options& o) { o.rows.runs = 0; }})
    EXPECT_NE(objection(shop, alter), "");
  Terms terms;
  terms.alter = [](Profile& profile) { profile.capabilities.erase("list_paged"); };
  Shop blind(terms);
  EXPECT_EQ(objection(blind, [](Options&) {}),
            "the retry_scheduler needs a driver with list_paged");
  EXPECT_EQ(objection(blind, [](Options& o) { o.loops = {LoopName::outbox}; }), "");
}

TEST(DispatcherTest, HasATaskRunAsSoonAsItIsAccepted) {
  for (const auto profile : {"trace", "reference"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Terms terms = of_trace(seed);
      terms.profile = profile;
      Shop shop(terms);
      shop.run([&] {
        Post post(shop);
        const auto dispatcher = post.start(post.options());
        Listener listener(shop, post.channel(), shop.options(succeeds));
        shop.pass(5s);
        post.put();
        dispatcher->hint();
        shop.pass(1ms);
        EXPECT_EQ(shop.state("j0"), JobState::done) << profile << " " << seed;
      });
      EXPECT_EQ(shop.all<TaskHandled>().size(), 0u) << "there was nothing to repair";
    }
}

TEST(DispatcherTest, AnnouncesARetryWhenItsTimeHasCome) {
  for (const auto profile : {"trace", "reference", "weave", "upnext"})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Terms terms = of_trace(seed);
      terms.profile = profile;
      terms.alter = [](Profile& p) {
        brisk(p);
        p.capabilities.insert("inspect");
      };
      Shop shop(terms);
      shop.run([&] {
        Post post(shop);
        DispatcherOptions options = post.options();
        options.loops = {LoopName::outbox};
        const auto dispatcher = post.start(options);
        Listener listener(shop, post.channel(), shop.options(stumbles));
        NewJob job;
        job.payload = "1";
        job.max_attempts = 3;
        post.put(job);
        shop.pass(10s);
        EXPECT_EQ(shop.state("j0"), JobState::done) << profile << " " << seed;
      });
      // In the commit of the nack, and before any wake-up of the second run.
      const auto written = shop.all<RowWritten>();
      ASSERT_EQ(written.size(), 1u);
      EXPECT_EQ(what<RowWritten>(written[0]).row, "announce_task/j0/2/q");
      EXPECT_EQ(shop.all<HandlerBegan>().size(), 2u);
      EXPECT_EQ(shop.all<WakeUpSent>().size(), 2u);
      EXPECT_EQ(shop.all<NotClaimed>().size(), 0u) << "nobody was woken too early";
    }
}

// Where no row was written with the failure, as by a worker that knows no outbox.
TEST(DispatcherTest, FindsADueRetryThatNobodyAnnounced) {
  for (const auto profile : {"trace", "reference", "taskharbor", "weave"}) {
    Terms terms = of_trace();
    terms.profile = profile;
    terms.alter = [](Profile& p) {
      brisk(p);
      p.backoff = {20s, 20s};
      p.capabilities.insert({"list_paged", "inspect"});
    };
    Shop shop(terms);
    shop.run([&] {
      Post post(shop);
      const bool by_id = shop.driver().profile().claim_style == ClaimStyle::by_id;
      shop.put();
      Reserve reserve{{"q"}, 3s, "old", 1, {}};
      if (by_id) reserve.job_id = "j0";
      const auto claim = post.session().reserve(shop.now(), reserve).value().claims.at(0);
      if (shop.driver().profile().decider == Decider::store)
        EXPECT_TRUE(post.session().nack(shop.now(), {hold_of(claim), "no luck"}).ok());
      else
        EXPECT_TRUE(
            post.session().retry(shop.now(), {hold_of(claim), shop.now() + 5s, 1, "no luck"}).ok());
      const Instant due = *shop.get("j0").job.run_at;
      DispatcherOptions options = post.options();
      options.loops = {LoopName::outbox, LoopName::retry_scheduler};
      const auto dispatcher = post.start(options);
      shop.clock().sleep_until(due - 1ms, {});
      EXPECT_EQ(post.inner().size(), 0u) << profile;
      shop.pass(600ms);
      EXPECT_EQ(post.inner().size(), 1u) << profile;
      shop.pass(5s);
      EXPECT_EQ(post.inner().size(), 1u) << "once is enough";
      EXPECT_EQ(dispatcher->tallies().announced[LoopName::retry_scheduler], 1);
    });
  }
}

TEST(DispatcherTest, AnnouncesATaskWhoseWorkerDied) {
  for (const auto profile : {"trace", "reference", "upnext", "taskharbor"}) {
    Terms terms = of_trace();
    terms.profile = profile;
    // The loop needs to see jobs.
    terms.alter = [](Profile& p) {
      brisk(p);
      p.capabilities.insert({"list_paged", "inspect"});
    };
    Shop shop(terms);
    shop.run([&] {
      Post post(shop);
      shop.put();
      post.claim_and_die("j0", 3s);
      DispatcherOptions options = post.options();
      options.loops.erase(LoopName::re_announcer);
      const auto dispatcher = post.start(options);
      Listener listener(shop, post.channel(), shop.options(succeeds));
      shop.pass(2s);
      EXPECT_EQ(shop.state("j0"), JobState::leased);
      EXPECT_EQ(shop.all<WakeUpSent>().size(), 0u);
      shop.pass(8s);
      EXPECT_EQ(shop.state("j0"), JobState::done) << profile;
      EXPECT_EQ(dispatcher->tallies().announced[LoopName::lease_reaper], 1);
    });
  }
}

TEST(DispatcherTest, AnnouncesALostLeaseLessAndLessOftenWhereNobodyListens) {
  Shop shop(of_trace());
  shop.run([&] {
    Post post(shop);
    shop.put();
    post.claim_and_die("j0", 3s);
    const auto dispatcher = post.start(post.options());
    shop.pass(12s);
    EXPECT_EQ(shop.all<WakeUpSent>().size(), 1u);
    shop.pass(60s);
    EXPECT_EQ(shop.all<WakeUpSent>().size(), 3u);
  });
}

// Its last run was the lost one: it ends, though there is no worker to claim it.
TEST(DispatcherTest, EndsATaskThatHasUsedUpItsRuns) {
  Shop shop(of_trace());
  shop.run([&] {
    Post post(shop);
    NewJob once;
    once.max_attempts = 1;
    shop.put(once);
    NewJob twice;
    twice.max_attempts = 2;
    shop.put(twice);
    for (const JobId id : {"j0", "j1"}) post.claim_and_die(id);
    const auto dispatcher = post.start(post.options());
    shop.pass(2s);
    EXPECT_EQ(shop.states(), std::vector(2, JobState::leased));
    shop.pass(2s);
    EXPECT_EQ(shop.state("j0"), JobState::dead);
    EXPECT_EQ(shop.get("j0").dead->reason, "lease expired");
    EXPECT_EQ(shop.state("j1"), JobState::leased) << "it may run once more";
    EXPECT_EQ(dispatcher->tallies().ended, 1);
    Listener listener(shop, post.channel(), shop.options(succeeds));
    shop.pass(10s);
    EXPECT_EQ(shop.state("j1"), JobState::done);
  });
}

// The reaper counts nothing itself: a task that loses one lease of three has two runs left.
TEST(DispatcherTest, CountsALostLeaseOnce) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Terms terms = of_trace(seed);
    terms.alter = [](Profile& p) {
      brisk(p);
      p.backoff = {0ms, 0ms};  // at once claimable: nobody but a worker may be given it
    };
    Shop shop(terms);
    shop.run([&] {
      Post post(shop);
      NewJob job;
      job.max_attempts = 3;
      shop.put(job);
      post.claim_and_die("j0");
      const auto first = post.start(post.options("d"));
      const auto second = post.start(post.options("e"));
      Listener listener(shop, post.channel(), shop.options(fails));
      shop.pass(20s);
      EXPECT_EQ(shop.state("j0"), JobState::dead);
    });
    EXPECT_EQ(shop.all<HandlerBegan>().size(), 2u) << seed;
  }
}

TEST(DispatcherTest, AnnouncesAgainWhatHasBeenReadyForLong) {
  Shop shop(of_trace());
  shop.run([&] {
    Post post(shop, {.drop_percent = 100});
    post.put();
    DispatcherOptions options = post.options();
    options.stale_after = 10s;
    const auto dispatcher = post.start(options);
    shop.pass(9s);
    EXPECT_EQ(post.channel().counts().dropped, 1);
    shop.pass(4s);
    EXPECT_EQ(post.channel().counts().dropped, 2);
    shop.pass(16s);
    EXPECT_EQ(post.channel().counts().dropped, 2) << "less and less often";
    shop.pass(6s);
    EXPECT_EQ(post.channel().counts().dropped, 3);
    EXPECT_EQ(dispatcher->tallies().announced[LoopName::re_announcer], 2);
    EXPECT_EQ(shop.state("j0"), JobState::ready) << "a task without a message is legal";
  });
}

// A dispatcher that begins anew knows nothing, and finds everything.
TEST(DispatcherTest, GoesOnAfterARestartWithWhatIsInTheStore) {
  Shop shop(of_trace());
  shop.run([&] {
    Post post(shop);
    NewJob failing;
    failing.payload = "1";
    post.put();         // announced by its row
    post.put(failing);  // fails once
    const JobId lost = post.put();
    {
      const auto dispatcher = post.start(post.options());
      Listener listener(shop, post.channel(), shop.options(stumbles));
      shop.pass(100ms);
    }
    post.put();
    const JobId plain = shop.put({.id = "plain"});  // nobody wrote a row for it
    static_cast<void>(lost);
    post.claim_and_die(plain);
    shop.pass(1h);
    EXPECT_GE(post.pending().size(), 1u);
    const auto dispatcher = post.start(post.options());
    Listener listener(shop, post.channel(), shop.options(stumbles));
    EXPECT_TRUE(post.all_end(1min));
    EXPECT_TRUE(shop.all_end(1min));
  });
}

TEST(DispatcherTest, BacksOffWhileTheStoreIsAwayAndGoesOnThen) {
  Trouble trouble;
  bool is_away = true;
  int calls = 0;
  trouble.opening = [&]() -> std::optional<Error> {
    ++calls;
    if (is_away) return Trouble::no_answer();
    return std::nullopt;
  };
  Shop shop(of_trace());
  shop.run([&] {
    Post post(shop);
    TroubledDriver troubled(shop.driver(), trouble);
    DispatcherOptions options = post.options();
    options.outage_max = 30s;
    const auto dispatcher = post.start(options, &troubled);
    post.put();
    shop.pass(10min);
    EXPECT_LT(calls, 300) << "four loops, once in some fifteen seconds";
    EXPECT_GT(dispatcher->tallies().outages, 20);
    EXPECT_EQ(post.inner().size(), 0u);
    is_away = false;
    shop.pass(31s);
    EXPECT_EQ(post.inner().size(), 1u);
  });
}

TEST(DispatcherTest, EndsAtOnceWhateverItsPauses) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Shop shop(of_trace(seed));
    shop.run([&] {
      Post post(shop);
      DispatcherOptions options = post.options();
      options.outbox_every = options.retries_every = options.reap_every = options.stale_every = 1h;
      const auto dispatcher = post.start(options);
      shop.pass(Duration{static_cast<std::int64_t>(seed % 3)});
      const Instant before = shop.now();
      dispatcher->shutdown();
      EXPECT_EQ(shop.now(), before);
      dispatcher->shutdown();
    });
  }
}

// More tasks than a turn looks at.
TEST(DispatcherTest, GoesThroughAllTasksPageByPage) {
  Shop shop(of_trace());
  shop.run([&] {
    Post post(shop);
    for (int i = 0; i < 50; ++i) shop.put();
    shop.pass(1min);
    DispatcherOptions options = post.options();
    options.page = 3;
    options.pages = 2;
    const auto dispatcher = post.make(options);
    int turns = 1;
    while (dispatcher->turn(LoopName::re_announcer).value()) ++turns;
    EXPECT_EQ(turns, 9);
    EXPECT_EQ(post.pending().size(), 50u);
  });
}

}  // namespace
}  // namespace assay::engine
