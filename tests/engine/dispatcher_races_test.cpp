// Dispatchers, workers and a bad channel under many schedules: whatever is lost, doubled or killed,
// every task ends as it must, and none runs without a cause.
#include "tests/engine/post.h"

namespace assay::engine {
namespace {

// One that dies at a call, before it is made or after: nothing that it asks for is done from then
// on.
class Mortal {
 public:
  Mortal(Driver& inner, std::int64_t dies_at) : driver(inner, trouble_), dies_at_(dies_at) {
    trouble_.before = [this](const Request&) { return count(); };
    trouble_.after = [this](const Request&) { return count(); };
    trouble_.opening = [this] { return count(); };
    trouble_.before_commit = [this](const Commit&) { return count(); };
    trouble_.after_commit = [this](const Commit&, const auto&) { return count(); };
    trouble_.reading = [this] { return count(); };
  }
  bool is_dead() const { return calls_ >= dies_at_; }

 private:
  std::optional<Error> count() {
    if (calls_ < dies_at_) ++calls_;
    if (is_dead()) return Trouble::no_answer();
    return std::nullopt;
  }

  Trouble trouble_;

 public:
  TroubledDriver driver;

 private:
  const std::int64_t dies_at_;
  std::int64_t calls_ = 0;
};

// Six tasks: two that succeed, one that fails once, one that fails always, one whose first worker
// died, and one whose only worker did.
void put_all(Post& post) {
  const auto put = [&](const char* payload, std::int64_t runs) {
    NewJob job;
    job.payload = payload;
    job.max_attempts = runs;
    return post.put(job);
  };
  put("", 3);
  put("", 3);
  put("1", 3);
  put("9", 2);
  post.claim_and_die(put("", 3));
  post.claim_and_die(put("", 1));
}

void expect_ends(Post& post, std::uint64_t seed) {
  const std::vector<JobState> ends{JobState::done, JobState::done, JobState::done,
                                   JobState::dead, JobState::done, JobState::dead};
  for (std::size_t i = 0; i < ends.size(); ++i)
    EXPECT_EQ(post.shop().state(post.jobs[i]), ends[i]) << "seed " << seed << ", task " << i;
}

// Each run beyond the first has its cause: a failure that was recorded, or a lease that was lost.
void expect_runs(const Shop& shop, std::uint64_t seed) {
  const std::vector<std::size_t> runs{1, 1, 2, 2, 1, 0};
  for (std::size_t i = 0; i < runs.size(); ++i)
    EXPECT_EQ(shop.all_of<HandlerBegan>("j" + std::to_string(i)).size(), runs[i])
        << "seed " << seed << ", task " << i;
}

void tell_where_it_failed(const Shop& shop, std::uint64_t seed) {
  if (!testing::Test::HasFailure()) return;
  for (const std::string& line : shop.story()) std::cerr << line << "\n";
  FAIL() << "seed " << seed;
}

TEST(DispatcherRaces, EndEachTaskWithTwoAtOnceAndAChannelThatLosesAndDoubles) {
  LossyChannel::Counts all;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Terms terms = of_trace(seed);
    terms.pct = seed % 3 == 0;
    Shop shop(terms);
    shop.run([&] {
      Post post(shop, {20, 30, 30, 2s, 20, 1s, 20}, seed);
      const auto first = post.start(post.options("d"));
      const auto second = post.start(post.options("e"));
      Listener one(shop, post.channel(), shop.options(stumbles, 2));
      WorkerOptions options = shop.options(stumbles, 1);
      options.name = "v";
      Listener other(shop, post.channel(), options);
      put_all(post);
      EXPECT_TRUE(post.all_end()) << seed;
      expect_ends(post, seed);
      shop.pass(30s);
      EXPECT_EQ(post.pending().size() + post.parked().size(), 0u);
      const auto counts = post.channel().counts();
      all.dropped += counts.dropped;
      all.doubled += counts.doubled;
      all.delayed += counts.delayed;
      all.reordered += counts.reordered;
      all.undeleted += counts.undeleted;
    });
    expect_runs(shop, seed);
    tell_where_it_failed(shop, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const std::int64_t struck :
       {all.dropped, all.doubled, all.delayed, all.reordered, all.undeleted})
    EXPECT_GT(struck, 100) << "each fault must have struck";
}

// The first dispatcher dies at its n-th call, for every n; the second knows nothing of it.
TEST(DispatcherRaces, EndEachTaskThoughADispatcherDiesBetweenAnyTwoCalls) {
  int died = 0;
  for (std::uint64_t n = 1; n <= 230; ++n) {
    Shop shop(of_trace(n % 7 + 1));
    shop.run([&] {
      Post post(shop);
      Mortal mortal(shop.driver(), static_cast<std::int64_t>(n));
      auto first = post.start(post.options("d"), &mortal.driver);
      Listener listener(shop, post.channel(), shop.options(stumbles, 2));
      put_all(post);
      shop.pass(5s);
      died += mortal.is_dead();
      first.reset();
      const auto second = post.start(post.options("e"));
      EXPECT_TRUE(post.all_end()) << n;
      expect_ends(post, n);
      shop.pass(30s);
      EXPECT_EQ(post.pending().size() + post.parked().size(), 0u) << n;
    });
    expect_runs(shop, n);
    tell_where_it_failed(shop, n);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(died, 180) << "most deaths must come before the end";
}

// Everybody's calls and answers are lost now and then: in every contract that shows its jobs.
TEST(DispatcherRaces, EndEachTaskThoughCallsAndAnswersAreLost) {
  for (const auto profile : {"trace", "reference", "taskharbor", "upnext", "weave"})
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      Random dice(seed);
      Trouble trouble;
      const auto spoil = [&](const auto&...) -> std::optional<Error> {
        if (dice.below(100) < 6) return Trouble::no_answer();
        return std::nullopt;
      };
      trouble.before = trouble.after = [&](const Request&) { return spoil(); };
      trouble.before_commit = [&](const Commit&) { return spoil(); };
      trouble.after_commit = [&](const Commit&, const auto&) { return spoil(); };
      trouble.reading = trouble.opening = [&] { return spoil(); };
      Terms terms = of_trace(seed);
      terms.profile = profile;
      terms.slow_percent = 1;
      terms.alter = [](Profile& p) {
        brisk(p);
        p.capabilities.insert({"list_paged", "inspect"});
      };
      Shop shop(terms);
      shop.run([&] {
        Post post(shop, {10, 10, 20, 1s, 0, 0s, 10}, seed);
        TroubledDriver troubled(shop.driver(), trouble);
        const auto first = post.start(post.options("d"), &troubled);
        const auto second = post.start(post.options("e"), &troubled);
        Listener listener(shop, post.channel(), shop.options(stumbles, 2));
        NewJob job;
        job.max_attempts = 40;
        for (int i = 0; i < 5; ++i) {
          job.payload = std::to_string(i % 3);
          post.put(job);
        }
        // On a machine that may be slow by any time that somebody waits for.
        EXPECT_TRUE(post.all_end(10'000h)) << profile << " " << seed;
        for (const JobId& id : post.jobs)
          EXPECT_EQ(shop.state(id), JobState::done) << profile << " " << seed << " " << id;
      });
      tell_where_it_failed(shop, seed);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(DispatcherRaces, AreTheSameForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto once = [&] {
      Terms terms = of_trace(seed);
      terms.slow_percent = 2;
      Shop shop(terms);
      const auto run = shop.run([&] {
        Post post(shop, {20, 30, 30, 2s, 20, 1s, 20}, seed);
        const auto first = post.start(post.options("d"));
        const auto second = post.start(post.options("e"));
        Listener one(shop, post.channel(), shop.options(stumbles, 2));
        put_all(post);
        EXPECT_TRUE(post.all_end(10'000h));
      });
      return std::pair(run.moves, shop.story());
    };
    EXPECT_EQ(once(), once());
  }
}

}  // namespace
}  // namespace assay::engine
