// A store that does not answer, or refuses: nothing is lost, nothing is swallowed.
#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

template <class Kind>
bool is(const Request& request) {
  return std::holds_alternative<Kind>(request);
}

TEST(OutageTest, IsWaitedOutWithGrowingPausesAndThenWorkGoesOn) {
  for (const bool opens : {true, false})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Trouble trouble;
      Shop shop({.seed = seed, .trouble = &trouble});
      const auto is_away = [&] { return shop.now() < run_epoch + 10min; };
      std::vector<Instant> asked;
      trouble.before = [&](const Request& request) -> std::optional<Error> {
        if (!is_away()) return std::nullopt;
        if (is<Reserve>(request)) asked.push_back(shop.now());
        return Trouble::no_answer();
      };
      if (!opens)
        trouble.opening = [&]() -> std::optional<Error> {
          if (!is_away()) return std::nullopt;
          asked.push_back(shop.now());
          return Error{ErrorCode::internal, "no way there"};
        };
      shop.run([&] {
        for (int i = 0; i < 6; ++i) shop.put();
        const auto worker = shop.start(shop.options(succeeds, 3));
        shop.pass(10min);
        shop.pass(31s);  // the longest pause
        EXPECT_EQ(shop.states(), std::vector(6, JobState::done));
        EXPECT_GT(worker->tallies().outages, 0);
      });
      // The first of each slot, then one at a time: half of 30 seconds each, in the long run.
      EXPECT_LT(asked.size(), 120u) << seed;
      EXPECT_GT(asked.size(), 20u) << seed;
    }
}

// A slot that ends its job meanwhile does not ask besides.
TEST(OutageTest, IsTriedByOneSlotAtATime) {
  Trouble trouble;
  Shop shop({.profile = "taskharbor", .trouble = &trouble});
  std::vector<Instant> asked;
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (!is<Reserve>(request) || shop.now() < run_epoch + 1s) return std::nullopt;
    asked.push_back(shop.now());
    return Trouble::no_answer();
  };
  shop.run([&] {
    for (int i = 0; i < 6; ++i) shop.put();
    WorkerOptions options = shop.options(
        [](Context& context) { return sleeps(10s * (context.job().id.back() - '0'))(context); }, 8);
    options.outage_min = options.outage_max = 1h;
    const auto worker = shop.start(options);
    shop.pass(2min);
    EXPECT_EQ(shop.all<HandlerEnded>().size(), 6u);
    EXPECT_LE(asked.size(), 3u) << "each slot that ended its job asked";
  });
}

TEST(OutageTest, OfASettleIsOvercomeByTheSameSettleAgain) {
  for (const bool takes_effect : {true, false})
    for (const auto profile : {"reference", "taskharbor", "upnext", "weave"})
      for (const bool fails_first : {false, true}) {
        Trouble trouble;
        int lost = 0;
        const auto spoil = [&](const Request& request) -> std::optional<Error> {
          const bool is_settle =
              is<Ack>(request) || is<Retry>(request) || is<Nack>(request) || is<Fail>(request);
          if (is_settle && lost < 3) return ++lost, Trouble::no_answer();
          return std::nullopt;
        };
        (takes_effect ? trouble.after : trouble.before) = spoil;
        Shop shop({.profile = profile, .trouble = &trouble});
        int runs = 0;
        shop.run([&] {
          NewJob job;
          job.max_attempts = 2;
          const JobId id = shop.put(job);
          const auto worker = shop.start(shop.options([&](Context&) -> HandlerResult {
            if (++runs == 1 && fails_first) return Failure{"once"};
            return Success{};
          }));
          EXPECT_TRUE(shop.all_end()) << profile;
          EXPECT_EQ(shop.state(id), JobState::done);
          shop.pass(10s);  // for the answer that says so
          EXPECT_EQ(worker->tallies().settles_unknown, 3);
          EXPECT_EQ(worker->tallies().settles_refused, 0);
        });
        EXPECT_EQ(runs, fails_first ? 2 : 1) << profile;
      }
}

TEST(OutageTest, OfASettleEndsWithTheLeaseAndTheJobRunsAgain) {
  Trouble trouble;
  Shop shop({.trouble = &trouble});
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (is<Ack>(request) && shop.now() < run_epoch + 1min) return Trouble::no_answer();
    return std::nullopt;
  };
  shop.run([&] {
    shop.put();
    const auto worker = shop.start(shop.options(succeeds));
    EXPECT_TRUE(shop.all_end());
    EXPECT_EQ(shop.states(), std::vector{JobState::done});
  });
  EXPECT_EQ(shop.all<HandlerBegan>().size(), 3u);
  for (const Event& left : shop.all<LeftToLapse>()) {
    EXPECT_GT(left.at, shop.all<HandlerEnded>()[0].at + 25s);
  }
  EXPECT_EQ(shop.all<LeftToLapse>().size(), 2u);
}

TEST(OutageTest, OfAnOpeningIsNoDoubtAboutTheSettle) {
  Trouble trouble;
  Shop shop({.trouble = &trouble});
  bool is_away = false;
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (is<Ack>(request) && !is_away) {
      is_away = true;
      return Error{ErrorCode::closed, "the session is gone"};
    }
    return std::nullopt;
  };
  int openings = 0;
  trouble.opening = [&]() -> std::optional<Error> {
    if (is_away && ++openings < 4) return Error{ErrorCode::unavailable, "no way there"};
    return std::nullopt;
  };
  shop.run([&] {
    shop.put();
    const auto worker = shop.start(shop.options(succeeds));
    EXPECT_TRUE(shop.all_end());
  });
  const auto answered = shop.all<SettleAnswered>();
  EXPECT_GE(answered.size(), 5u);
  EXPECT_FALSE(what<SettleAnswered>(answered.back()).in_doubt);
  EXPECT_FALSE(what<SettleAnswered>(answered.back()).error);
}

TEST(RefusalTest, OfASettleIsToldAndCounted) {
  Trouble trouble;
  bool is_first = true;
  trouble.before = [&](const Request& request) -> std::optional<Error> {
    if (is<Ack>(request) && std::exchange(is_first, false))
      return lease_lost(LeaseReason::mismatch, "another has it");
    return std::nullopt;
  };
  Shop shop({.trouble = &trouble});
  shop.run([&] {
    shop.put();
    const auto worker = shop.start(shop.options(succeeds));
    shop.pass(1s);
    EXPECT_EQ(worker->tallies().settles_refused, 1);
  });
  const auto answered = shop.all<SettleAnswered>();
  ASSERT_EQ(answered.size(), 1u) << "a refusal is not asked again";
  EXPECT_EQ(what<SettleAnswered>(answered[0]).error->message, "another has it");
}

// --- acks that go together ---

TEST(GroupAckTest, SendsThoseThatWaitTogetherAndLosesNone) {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Shop shop({.seed = seed});
    shop.run([&] {
      for (int i = 0; i < 12; ++i) shop.put();
      WorkerOptions options = shop.options(sleeps(1s), 6);
      options.group_acks = true;
      const auto worker = shop.start(options);
      shop.pass(1s);
      static_cast<void>(worker->shutdown());
      for (const Event& event : shop.all<HandlerEnded>())
        EXPECT_EQ(shop.state(event.delivery.job_id), JobState::done) << seed;
    });
    std::size_t in_a_row = 0;
    for (const Event& event : shop.events) {
      in_a_row = std::holds_alternative<SettleSent>(event.what) ? in_a_row + 1 : 0;
      most = std::max(most, in_a_row);
    }
  }
  EXPECT_GT(most, 2u);
}

TEST(GroupAckTest, IsNotStoppedByOneThatIsRefusedOrHasNoAnswer) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Trouble trouble;
    int lost = 0;
    trouble.before = [&](const Request& request) -> std::optional<Error> {
      const auto* ack = std::get_if<Ack>(&request);
      if (ack && ack->hold.job_id == "j1") return lease_lost(LeaseReason::expired, "over");
      if (ack && ack->hold.job_id == "j2" && ++lost < 4) return Trouble::no_answer();
      return std::nullopt;
    };
    Shop shop({.seed = seed, .trouble = &trouble});
    shop.run([&] {
      for (int i = 0; i < 5; ++i) shop.put();
      WorkerOptions options = shop.options(sleeps(1s), 5);
      options.group_acks = true;
      const auto worker = shop.start(options);
      shop.pass(10s);
      EXPECT_EQ(shop.states(), (std::vector{JobState::done, JobState::leased, JobState::done,
                                            JobState::done, JobState::done}));
      EXPECT_EQ(worker->tallies().settles_refused, 1);
      EXPECT_EQ(worker->tallies().settles_unknown, 3);
    });
  }
}

}  // namespace
}  // namespace assay::engine
