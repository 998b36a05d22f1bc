// Workers on a slow machine under many schedules: leases lapse, handlers fail, a worker ends in the
// middle; whatever comes, each event follows from those before it, and each job ends as it must.
#include <unistd.h>

#include <filesystem>
#include <set>

#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

constexpr Duration ttl = 900ms;

// What is known of one delivery, event by event.
struct Known {
  std::optional<Event> claimed;
  Instant expires_at = {};
  std::optional<Instant> last_beat;
  bool unheard = false;  // the last heartbeat had no answer
  bool began = false, ended = false, lost = false, interrupted = false, sent = false;
  int ends = 0;
};

// What no order of events may show.
class Examiner {
 public:
  explicit Examiner(const Shop& shop) {
    for (const Event& event : shop.events) {
      EXPECT_GE(event.at, now_) << told(event);
      now_ = event.at;
      if (event.delivery.token.empty()) continue;
      Known& known = deliveries_[event.delivery.token];
      std::visit([&](const auto& what) { see(event, known, what); }, event.what);
    }
  }

  // Each claim has exactly one end.
  void expect_ends() const {
    for (const auto& [token, known] : deliveries_) EXPECT_EQ(known.ends, 1) << token;
  }
  std::map<JobId, int> failures;  // that were recorded
  int lost = 0;

 private:
  void see(const Event& event, Known& known, const Claimed& what) {
    EXPECT_FALSE(known.claimed) << told(event);
    known.claimed = event;
    known.expires_at = what.expires_at;
  }
  void see(const Event& event, Known& known, const HandlerBegan&) {
    EXPECT_TRUE(known.claimed && !known.began && !known.lost && !known.ends) << told(event);
    EXPECT_LT(event.at, known.expires_at) << told(event);
    known.began = true;
    // Two handlers of one job meet only where the lease of the first is over.
    for (const auto& [token, other] : deliveries_)
      if (other.began && !other.ended && token != event.delivery.token &&
          other.claimed->delivery.job_id == event.delivery.job_id) {
        EXPECT_GE(event.at, other.expires_at) << told(event);
      }
  }
  void see(const Event& event, Known& known, const HandlerEnded&) {
    EXPECT_TRUE(known.began && !known.ended) << told(event);
    known.ended = true;
  }
  void see(const Event& event, Known& known, const HeartbeatSent&) {
    EXPECT_TRUE(known.claimed && !known.ended && !known.interrupted && !known.lost) << told(event);
    const Instant since = known.last_beat.value_or(known.expires_at - ttl);
    EXPECT_GE(event.at, since + (known.unheard ? ttl / 20 : ttl / 3)) << told(event);
    known.last_beat = event.at;
  }
  void see(const Event&, Known& known, const HeartbeatAnswered& what) {
    if (what.expires_at) known.expires_at = *what.expires_at;
    known.unheard = what.error.has_value();
  }
  void see(const Event& event, Known& known, const LeaseLost&) {
    EXPECT_FALSE(known.lost || known.ended) << told(event);
    known.lost = true;
    ++lost;
  }
  void see(const Event& event, Known& known, const Interrupted&) {
    EXPECT_FALSE(known.interrupted || known.ended) << told(event);
    known.interrupted = true;
  }
  void see(const Event& event, Known& known, const SettleSent&) {
    EXPECT_TRUE(known.claimed && (known.ended || !known.began)) << told(event);
    EXPECT_FALSE(known.lost || known.sent || known.ends) << told(event);
    known.sent = true;
  }
  void see(const Event& event, Known& known, const SettleAnswered& what) {
    EXPECT_TRUE(known.sent) << told(event);
    known.sent = false;
    if (what.error && what.error->code == ErrorCode::unavailable)
      return;  // another try, or a lapse
    ++known.ends;
    const bool is_failure = what.kind == SettleKind::retry || what.kind == SettleKind::fail ||
                            what.kind == SettleKind::nack;
    if (!what.error && is_failure) ++failures[event.delivery.job_id];
  }
  void see(const Event&, Known& known, const LeftToLapse&) { ++known.ends; }
  void see(const Event&, Known& known, const DidNotReturn&) { ++known.ends; }
  template <class Other>
  void see(const Event&, Known&, const Other&) {}

  Instant now_ = {};
  std::map<Token, Known> deliveries_;
};

// j0, j3, j6: fail always. The others sleep, some for longer than a lease.
HandlerResult mixed(Context& context) {
  const int number = context.job().id.back() - '0';
  const auto result = sleeps(Duration{number * 250})(context);
  if (number % 3 == 0) return Failure{"no luck"};
  return result;
}

void work_through(Shop& shop, std::uint64_t seed) {
  WorkerOptions options = shop.options(mixed, 3);
  options.lease = ttl;
  options.group_acks = seed % 2 == 0;
  options.handlers["t"].timeout = 20s;
  // Losses of leases have a limit of their own: here none may reach it.
  NewJob job;
  job.max_attempts = 40;
  auto first = shop.start(options);
  options.name = "v";
  options.grace = 100ms;
  auto second = shop.start(options);
  for (int i = 0; i < 8; ++i) {
    if (i % 3 == 0) {
      NewJob failing;
      failing.max_attempts = 3;
      shop.put(failing);
    } else {
      shop.put(job);
    }
    shop.pass(Duration{static_cast<std::int64_t>(seed * 37 % 200)});
  }
  EXPECT_TRUE(second->shutdown().did_not_return.empty());
  EXPECT_TRUE(shop.all_end(48h)) << seed;
  EXPECT_TRUE(first->shutdown().did_not_return.empty());
}

TEST(RacesTest, EndEachJobAsItMustAndTellNothingUntrue) {
  int lost = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Shop shop({.seed = seed, .slow_percent = seed % 4 == 0 ? 0 : 3, .pct = seed % 5 == 0});
    std::map<JobId, JobState> states;
    shop.run([&] {
      work_through(shop, seed);
      for (const JobId& id : shop.jobs()) states[id] = shop.state(id);
    });
    Examiner examiner(shop);
    examiner.expect_ends();
    lost += examiner.lost;
    EXPECT_TRUE(seed % 4 != 0 || examiner.lost == 0) << "heartbeats came in time";
    for (const auto& [id, state] : states) {
      if ((id.back() - '0') % 3 == 0) {
        EXPECT_EQ(state, JobState::dead) << seed << " " << id;
        EXPECT_LE(examiner.failures[id], 3) << seed << " " << id;
      } else {
        EXPECT_EQ(state, JobState::done) << seed << " " << id;
      }
    }
    if (testing::Test::HasFailure()) {
      for (const std::string& line : shop.story()) std::cerr << line << "\n";
      FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(lost, 10) << "the machine was not slow enough for any lease to lapse";
}

// Any call may be lost, or its answer: in every contract.
TEST(RacesTest, EndEachJobThoughCallsAndAnswersAreLost) {
  for (const auto profile : {"reference", "taskharbor", "trace", "upnext", "weave"})
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      Random dice(seed);
      Trouble trouble;
      const auto spoil = [&](const Request&) -> std::optional<Error> {
        if (dice.below(100) < 8) return Trouble::no_answer();
        return std::nullopt;
      };
      trouble.before = trouble.after = spoil;
      trouble.opening = [&] { return spoil({}); };
      Shop shop({.seed = seed, .profile = profile, .slow_percent = 1, .trouble = &trouble});
      std::map<JobId, JobState> states;
      shop.run([&] {
        work_through(shop, seed);
        for (const JobId& id : shop.jobs()) states[id] = shop.state(id);
      });
      Examiner examiner(shop);
      examiner.expect_ends();
      for (const auto& [id, state] : states) {
        const bool fails = (id.back() - '0') % 3 == 0;
        EXPECT_EQ(state, fails ? JobState::dead : JobState::done)
            << profile << " " << seed << " " << id;
      }
      if (testing::Test::HasFailure()) {
        for (const std::string& line : shop.story()) std::cerr << line << "\n";
        FAIL() << profile << ", seed " << seed;
      }
    }
}

// The statements of a store are gates of the same schedule.
TEST(RacesTest, OnAFileEndTheSameWay) {
  const std::string scratch =
      std::filesystem::temp_directory_path() / ("races-" + std::to_string(::getpid()));
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto once = [&] {
      std::filesystem::create_directories(scratch);
      std::vector<std::string> story;
      {
        Shop shop({.seed = seed, .slow_percent = 1, .driver = "sqlite", .scratch = scratch});
        shop.run([&] { work_through(shop, seed); });
        Examiner(shop).expect_ends();
        story = shop.story();
      }
      std::filesystem::remove_all(scratch);
      return story;
    };
    const auto first = once();
    EXPECT_GT(first.size(), 20u);
    EXPECT_EQ(first, once()) << seed;
  }
}

TEST(RacesTest, AreTheSameForTheSameSeed) {
  for (const auto profile : {"reference", "weave", "trace"})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto once = [&](bool threads) {
        Shop shop({.seed = seed, .profile = profile, .slow_percent = 3, .threads = threads});
        const auto run = shop.run([&] { work_through(shop, seed); });
        return std::pair(run.moves, shop.story());
      };
      const auto first = once(false);
      EXPECT_EQ(first, once(false));
      EXPECT_TRUE(seed > 1 || first == once(true)) << "threads make the same moves";
    }
}

}  // namespace
}  // namespace assay::engine
