// Flows under many schedules, on slow machines, with calls and answers lost, workers that die
// anywhere, members that die and are requeued: each member is enqueued once, none is lost, and a
// finalizer comes once, behind all that it waits for.
#include "tests/engine/flow_rig.h"

namespace assay::engine {
namespace {

constexpr Duration ttl = 900ms;

Flow part(std::int64_t limit, const char* type = "t") {
  return step(Step{.type = type, .payload = "x", .limit = limit});
}

// Something of every kind; by the seed, since races differ where the flow does.
Flow drawn_flow(std::uint64_t seed, std::int64_t limit) {
  const Step last{.type = "final", .limit = 100};
  switch (seed % 4) {
    case 0:
      return chord({part(limit), part(limit), part(limit), part(limit)}, last);
    case 1:
      return chain({part(limit), chord({part(limit), chain({part(limit), part(limit)})}, last),
                    part(limit)});
    case 2:
      return chord(
          {group({part(limit), part(limit)}), chord({part(limit), part(limit)}, last), part(limit)},
          last);
    default:
      return chord({chain({group({part(limit), part(limit)}), part(limit)}),
                    chain({part(limit), group({part(limit), part(limit)})})},
                   last);
  }
}

class Races {
 public:
  Races(std::uint64_t seed, std::string profile, int lost_percent)
      : seed_(seed), dice_(seed), lost_percent_(lost_percent), rig_(terms(std::move(profile))) {
    rig_.during = [this](Context& context) {
      static_cast<void>(sleeps(Duration{300 + 100 * dice(10)})(context));
    };
  }

  std::optional<Error> spoil() {
    if (dice(100) < lost_percent_) return Trouble::no_answer();
    return std::nullopt;
  }
  int dice(std::uint64_t below) { return static_cast<int>(dice_.below(below)); }

  WorkerOptions options(const std::string& name) {
    WorkerOptions options = rig_.options(2);
    options.name = name;
    options.lease = ttl;
    options.handlers["final"].run = [this](Context& context) { return finish(context); };
    return options;
  }

  // A finalizer sees all that it waits for, and none twice.
  HandlerResult finish(Context& context) {
    finals.push_back(*context.job().key);
    const auto page = context.inputs().page({}, 1000);
    if (!page.ok()) return Failure{page.error().message};
    std::set<std::string> paths;
    for (const InputView& input : page->inputs) {
      paths.insert(input.path);
      EXPECT_TRUE(input.succeeded || may_fail) << input.path << " " << input.error;
    }
    EXPECT_EQ(paths.size(), page->inputs.size());
    waited_for[*context.job().key] = static_cast<int>(paths.size());
    return Success{"final"};
  }

  void expect_each_once() {
    for (const auto& [id, count] : rig_.made) EXPECT_EQ(count, 1) << id << ", seed " << seed_;
  }
  void stop_losing() { lost_percent_ = 0; }

  FlowRig& rig() { return rig_; }
  std::vector<std::string> finals;
  std::map<std::string, int> waited_for;
  bool may_fail = false;

 private:
  Terms terms(std::string profile) {
    trouble_.after = [this](const Request&) { return spoil(); };
    // Some runs hear of no heartbeat.
    trouble_.before = [this](const Request& request) -> std::optional<Error> {
      const auto* beat = std::get_if<Extend>(&request);
      if (beat && lost_percent_ > 0 && stable_hash(beat->hold.token) % 4 == 0)
        return Trouble::no_answer();
      return spoil();
    };
    trouble_.before_commit = [this](const Commit&) { return spoil(); };
    trouble_.after_commit = [this](const Commit&, const auto&) { return spoil(); };
    trouble_.reading = [this] { return spoil(); };
    return {.seed = seed_,
            .profile = std::move(profile),
            .slow_percent = seed_ % 3 == 0 ? 0 : 2,
            .trouble = &trouble_,
            .pct = seed_ % 5 == 0};
  }

  const std::uint64_t seed_;
  Random dice_;
  int lost_percent_;
  Trouble trouble_;
  FlowRig rig_;
};

std::string profile_for(std::uint64_t seed) {
  static const std::string names[] = {"reference", "reference", "taskharbor",
                                      "trace",     "upnext",    "weave"};
  return names[seed / 4 % 6];
}

FlowHandedIn handed_in(Flows& flows, const FlowSubmission& submission) {
  auto made = flows.submit(submission);
  for (int tries = 0; !made.ok() && tries < 50; ++tries) made = flows.submit(submission);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made.ok() ? *made : FlowHandedIn{};
}

// Somebody sweeps all the time, as anybody may.
std::unique_ptr<Task> sweeper(Races& races, const std::string& name) {
  return races.rig().shop.runtime().start(name, [&races, name](std::stop_token stop) {
    auto made = Flows::make(races.rig().shop.runtime(), races.rig().shop.driver(),
                            {.name = name, .queue = "q", .seed = stable_hash(name)});
    while (!stop.stop_requested()) {
      if (made.ok()) static_cast<void>((*made)->sweep());
      Clock& clock = races.rig().shop.clock();
      clock.sleep_until(clock.now() + 700ms, stop);
    }
  });
}

TEST(FlowRaces, EndEachFlowThoughLeasesCallsAndAnswersAreLost) {
  int lost = 0, runs = 0, members = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Races races(seed, profile_for(seed), 5);
    FlowRig& rig = races.rig();
    rig.shop.run([&] {
      const auto flows = rig.flows();
      handed_in(*flows,
                {drawn_flow(seed, 100), seed % 2 ? OnFailure::fail_fast : OnFailure::go_on, "f"});
      auto first = rig.shop.start(races.options("w"));
      auto second = rig.shop.start(races.options("v"));
      auto sweeps = sweeper(races, "sweeper");
      for (int i = 0; i < 4'000; ++i) {
        rig.shop.pass(2s);
        const auto view = flows->show("f");
        if (view.ok() && view->state == FlowState::done) break;
      }
      sweeps.reset();
      first->shutdown();
      second->shutdown();
      races.stop_losing();
      const FlowView view = rig.shown(*flows);
      EXPECT_EQ(view.state, FlowState::done) << seed;
      EXPECT_EQ(view.root.counts, (MemberCounts{.succeeded = view.root.counts.all()})) << seed;
      members += static_cast<int>(view.root.counts.all());
    });
    races.expect_each_once();
    lost += static_cast<int>(rig.shop.all<LeaseLost>().size());
    runs += static_cast<int>(rig.shop.all<HandlerBegan>().size());
    if (testing::Test::HasFailure()) {
      for (const std::string& line : rig.shop.story()) std::cerr << line << "\n";
      FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(lost, 100) << "no lease lapsed";
  EXPECT_GT(runs, members + 100) << "nothing ran twice";
}

// Small and large: the one is a commit, the other several.
TEST(FlowRaces, SubmittedByManyAtOnceAreOneFlow) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Races races(seed, profile_for(seed), 10);
    FlowRig& rig = races.rig();
    std::vector<Flow> members(seed % 2 ? 3 : 950, part(100));
    const FlowSubmission submission{chord(members, {"final"}), {}, "f"};
    int made = 0, existed = 0;
    rig.shop.run([&] {
      std::vector<std::unique_ptr<Task>> tasks;
      for (const char* name : {"one", "two", "three"})
        tasks.push_back(rig.shop.runtime().start(name, [&, name](std::stop_token) {
          const auto flows = Flows::make(rig.shop.runtime(), rig.shop.driver(),
                                         {.name = name, .queue = "q", .seed = stable_hash(name)});
          if (!flows.ok()) return;
          ++(handed_in(**flows, submission).existed ? existed : made);
        }));
    });
    EXPECT_LE(made, 1) << seed;
    EXPECT_GT(made + existed, 0) << seed;
    races.expect_each_once();
    EXPECT_EQ(rig.made.size(), seed % 2 ? 3u : 1u) << "members, or the errand that enqueues them";
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

// One that always fails, under both policies.
TEST(FlowRaces, WithMembersThatDieEndAsTheirPolicySays) {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    const bool goes_on = seed % 2 == 0;
    Races races(seed, profile_for(seed), 4);
    FlowRig& rig = races.rig();
    races.may_fail = true;
    Flow flow = drawn_flow(seed / 2, 100);
    Flow* doomed = &flow;
    while (doomed->kind != FlowKind::step) doomed = &doomed->parts.front();
    doomed->step.type = "doomed";
    doomed->step.limit = 2;
    rig.shop.run([&] {
      const auto flows = rig.flows();
      handed_in(*flows, {flow, goes_on ? OnFailure::go_on : OnFailure::fail_fast, "f"});
      WorkerOptions options = races.options("w");
      options.handlers["doomed"].run = fails;
      auto first = rig.shop.start(options);
      options.name = "v";
      auto second = rig.shop.start(options);
      auto one = sweeper(races, "one"), two = sweeper(races, "two");
      // A retry may be far away in some profiles.
      for (int i = 0; i < 3'000; ++i) {
        rig.shop.pass(2s);
        if (i == 500) races.stop_losing();
        const auto view = flows->show("f");
        if (!view.ok() || view->state == FlowState::running) continue;
        if (view->root.counts.dead == 1 && view->root.counts.enqueued == 0) break;
      }
      races.stop_losing();
      one.reset();
      two.reset();
      EXPECT_TRUE(flows->sweep().ok());
      first->shutdown();
      second->shutdown();
      const FlowView view = rig.shown(*flows);
      EXPECT_EQ(view.root.counts.dead, 1) << seed;
      EXPECT_EQ(view.root.counts.enqueued, 0) << seed;
      // Where the doomed one is a chord's, directly or in a chain, that one's finalizer comes.
      const bool has_chord = seed / 2 % 4 != 1;
      EXPECT_EQ(rig.made.contains("flow:f:r.f"), goes_on && has_chord) << seed;
      if (goes_on)
        EXPECT_EQ(view.state, has_chord ? FlowState::done : FlowState::failed) << seed;
      else
        EXPECT_EQ(view.state, FlowState::failed) << seed;
    });
    races.expect_each_once();
    if (testing::Test::HasFailure()) {
      for (const std::string& line : rig.shop.story()) std::cerr << line << "\n";
      FAIL() << "seed " << seed;
    }
  }
}

// Members die, somebody requeues whatever is dead, others succeed meanwhile.
TEST(FlowRaces, GoOnThoughMembersDieAndAreRequeued) {
  int stops = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    Races races(seed, seed % 3 == 0 ? "upnext" : "reference", 3);
    FlowRig& rig = races.rig();
    rig.shop.run([&] {
      const auto flows = rig.flows();
      handed_in(*flows, {drawn_flow(seed, 1), OnFailure::fail_fast, "f"});
      WorkerOptions options = races.options("w");
      int left = 4;
      options.handlers["t"].run = [&](Context& context) -> HandlerResult {
        static_cast<void>(sleeps(Duration{100 * races.dice(8)})(context));
        if (left > 0 && races.dice(2) == 0) return --left, Failure{"no luck"};
        return rig.handle(context);
      };
      auto first = rig.shop.start(options);
      options.name = "v";
      auto second = rig.shop.start(options);
      auto sweeps = sweeper(races, "sweeper");
      bool is_done = false;
      for (int i = 0; i < 3'000 && !is_done; ++i) {
        rig.shop.pass(500ms);
        const auto session = rig.shop.driver().open({"hand", Role::admin});
        if (!session.ok()) continue;
        const auto dead = (*session)->dead(rig.shop.now(), {"q", 100, {}});
        if (dead.ok())
          for (const DeadEntry& entry : dead->entries)
            static_cast<void>((*session)->requeue(rig.shop.now(), {entry.job_id, {}, true}));
        const auto view = flows->show("f");
        is_done = view.ok() && view->state == FlowState::done;
      }
      EXPECT_TRUE(is_done) << seed;
      sweeps.reset();
      first->shutdown();
      second->shutdown();
      races.stop_losing();
      const FlowView view = rig.shown(*flows);
      EXPECT_EQ(view.root.counts, (MemberCounts{.succeeded = view.root.counts.all()})) << seed;
    });
    races.expect_each_once();
    stops += static_cast<int>(rig.shop.all<FlowResumed>().size());
    if (testing::Test::HasFailure()) {
      for (const std::string& line : rig.shop.story()) std::cerr << line << "\n";
      FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(stops, 50) << "none was stopped";
}

// After the commit that cancels it, nothing of the flow is enqueued.
TEST(FlowRaces, EnqueueNothingOnceTheyAreCancelled) {
  int cancelled = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Races races(seed, "reference", 3);
    FlowRig& rig = races.rig();
    rig.shop.run([&] {
      const auto flows = rig.flows();
      handed_in(*flows,
                {drawn_flow(seed, 100), seed % 2 ? OnFailure::fail_fast : OnFailure::go_on, "f"});
      auto first = rig.shop.start(races.options("w"));
      auto second = rig.shop.start(races.options("v"));
      rig.shop.pass(Duration{races.dice(4'000)});
      std::optional<std::map<std::string, int>> made;
      for (int tries = 0; tries < 50 && !made; ++tries) {
        const auto done = flows->cancel("f");
        if (done.ok()) made = rig.made;
      }
      auto sweeps = sweeper(races, "sweeper");
      for (int i = 0; i < 1'000; ++i) {
        rig.shop.pass(2s);
        if (i == 100) races.stop_losing();
        const auto list = flows->list();
        if (list.ok() && !list->flows.at(0).is_open) break;
      }
      races.stop_losing();
      sweeps.reset();
      const FlowView view = rig.shown(*flows);
      EXPECT_EQ(rig.made, made);
      EXPECT_EQ(view.root.counts.enqueued, 0) << seed;
      if (view.state == FlowState::cancelled) {
        ++cancelled;
        EXPECT_GT(view.root.counts.waiting + view.root.counts.cancelled, 0) << seed;
        EXPECT_FALSE(flows->list()->flows.at(0).is_open) << seed;
      } else {
        EXPECT_EQ(view.state, FlowState::done) << seed;
      }
    });
    races.expect_each_once();
    if (testing::Test::HasFailure()) {
      for (const std::string& line : rig.shop.story()) std::cerr << line << "\n";
      FAIL() << "seed " << seed;
    }
  }
  EXPECT_GT(cancelled, 100);
}

// A steward enqueues hundreds of steps while the flow is cancelled.
TEST(FlowRaces, EnqueueNothingMoreOfManyOnceTheyAreCancelled) {
  int halves = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    Races races(seed, "reference", 0);
    FlowRig& rig = races.rig();
    rig.during = {};
    rig.shop.run([&] {
      const auto flows = rig.flows();
      std::vector<Flow> members(450, part(100));
      handed_in(*flows, {group(members), {}, "f"});
      WorkerOptions options = races.options("w");
      options.concurrency = 1;
      auto worker = rig.shop.start(options);
      // Moves, not time, bring the two together.
      for (std::uint64_t i = 0; i < seed % 12; ++i) EXPECT_TRUE(flows->list().ok());
      const auto cancelled = flows->cancel("f");
      EXPECT_TRUE(cancelled.ok());
    });
    halves += rig.made.size() == 401 ? 1 : 0;
    races.expect_each_once();
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(halves, 5) << "the two did not meet";
}

// Its n-th call is its last: with no effect, or with one that nobody hears of.
class Mortal {
 public:
  Mortal(int dies_at, bool takes_effect) : left_(dies_at), takes_effect_(takes_effect) {
    trouble.before = [this](const Request&) { return before(); };
    trouble.after = [this](const Request&) { return after(); };
    trouble.before_commit = [this](const Commit&) { return before(); };
    trouble.after_commit = [this](const Commit&, const auto&) { return after(); };
    trouble.reading = [this] { return before(); };
    trouble.opening = [this]() -> std::optional<Error> {
      return left_ <= 0 ? std::optional(Trouble::no_answer()) : std::nullopt;
    };
  }
  bool is_dead() const { return left_ <= 0; }
  Trouble trouble;

 private:
  std::optional<Error> before() {
    if (left_ <= 0) return Trouble::no_answer();
    if (--left_ > 0 || takes_effect_) return std::nullopt;
    return Trouble::no_answer();
  }
  std::optional<Error> after() {
    return left_ <= 0 ? std::optional(Trouble::no_answer()) : std::nullopt;
  }
  int left_;
  bool takes_effect_;
};

TEST(FlowRaces, GoOnWhereAWorkerDiesBetweenAnyTwoCalls) {
  int deaths = 0;
  for (const bool takes_effect : {false, true})
    for (int dies_at = 1; dies_at <= 60; ++dies_at)
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        Races races(seed + 1000, "reference", 0);
        FlowRig& rig = races.rig();
        Mortal mortal(dies_at, takes_effect);
        rig.shop.run([&] {
          const auto flows = rig.flows();
          handed_in(*flows, {drawn_flow(seed, 100), {}, "f"});
          TroubledDriver driver(rig.shop.driver(), mortal.trouble);
          WorkerOptions options = races.options("w");
          options.grace = options.interruption = 1s;
          auto first = std::move(Worker::make(rig.shop.runtime(), driver, options)).value();
          ASSERT_TRUE(first->start().ok());
          for (int i = 0; i < 200 && !mortal.is_dead(); ++i) rig.shop.pass(100ms);
          deaths += mortal.is_dead() ? 1 : 0;
          auto second = rig.shop.start(races.options("v"));
          EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
          first->shutdown();
          const FlowView view = rig.shown(*flows);
          EXPECT_EQ(view.root.counts, (MemberCounts{.succeeded = view.root.counts.all()}));
        });
        races.expect_each_once();
        if (testing::Test::HasFailure()) {
          for (const std::string& line : rig.shop.story()) std::cerr << line << "\n";
          FAIL() << "dies at call " << dies_at << (takes_effect ? ", which is made" : "");
        }
      }
  EXPECT_GT(deaths, 200);
}

// The one who submits, sweeps or cancels dies anywhere; another one does the same.
TEST(FlowRaces, GoOnWhereWhoeverHandlesThemDiesBetweenAnyTwoCalls) {
  for (const bool takes_effect : {false, true})
    for (int dies_at = 1; dies_at <= 25; ++dies_at) {
      Races races(7, "reference", 0);
      FlowRig& rig = races.rig();
      Mortal mortal(dies_at, takes_effect);
      rig.shop.run([&] {
        std::vector<Flow> members;
        for (int i = 0; i < 401; ++i) members.push_back(part(100));
        members.push_back(chain({part(1, "doomed"), part(100)}));
        const FlowSubmission submission{chord(members, {"t"}), OnFailure::go_on, "f"};
        TroubledDriver driver(rig.shop.driver(), mortal.trouble);
        FlowsOptions options{.name = "mortal", .queue = "q"};
        options.tries.runs = 1;
        const auto made = Flows::make(rig.shop.runtime(), driver, options);
        if (made.ok()) static_cast<void>((*made)->submit(submission));
        const auto flows = rig.flows();
        ASSERT_TRUE(flows->submit(submission).ok());
        const auto session = rig.session();
        for (int i = 0; i < 2; ++i) {
          const auto claims = session->reserve(rig.shop.now(), {{"q"}, 1s, "gone", 1, {}});
          ASSERT_EQ(claims->claims.at(0).job.id, "flow:f:!launch:r");
          rig.shop.pass(2s);
        }
        if (made.ok()) static_cast<void>((*made)->sweep());
        WorkerOptions work = races.options("w");
        work.concurrency = 8;
        work.poll_min = work.poll_max = 10ms;
        work.lease = 60s;
        rig.during = {};
        work.handlers["doomed"].run = fails;
        auto worker = rig.shop.start(work);
        rig.shop.pass(1min);
        EXPECT_TRUE(flows->sweep().ok());
        EXPECT_TRUE(rig.comes_to(*flows, FlowState::done));
        EXPECT_EQ(rig.runs_of("r.f"), 1);
        const FlowView view = rig.shown(*flows);
        EXPECT_EQ(view.root.counts, (MemberCounts{.succeeded = 402, .dead = 1, .skipped = 1}));
      });
      races.expect_each_once();
      if (testing::Test::HasFailure()) FAIL() << "dies at call " << dies_at;
    }
}

}  // namespace
}  // namespace assay::engine
