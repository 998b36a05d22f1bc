// Outputs of jobs: written once, with the ack or under the lease, or not at all.
#include "engine/effects.h"

#include "engine/client.h"
#include "tests/engine/shop.h"

namespace assay::engine {
namespace {

struct Rig {
  explicit Rig(Terms terms = {}) : shop(std::move(terms)) {}

  Outputs outputs(const JobId& id) {
    const auto session = std::move(shop.driver().open({"reader", Role::admin})).value();
    const auto found = outputs_of(*session, shop.clock(), id);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.ok() ? *found : Outputs{};
  }
  // Of one job whose handler this is.
  Outputs of_one(Handler handler, NewJob job = {}) {
    Outputs found;
    shop.run([&] {
      auto worker = shop.start(shop.options(std::move(handler)));
      shop.put(job);
      EXPECT_TRUE(shop.all_end());
      worker->shutdown();
      state = shop.state("j0");
      view = shop.get("j0");
      found = outputs("j0");
    });
    return found;
  }

  Shop shop;
  JobState state = JobState::ready;
  JobView view;
};

using Listed = std::vector<Output>;

TEST(EffectsTest, AreThereTogetherWithTheAck) {
  Rig rig;
  const Outputs found = rig.of_one([&](Context& context) -> HandlerResult {
    EXPECT_TRUE(context.effects().put("b", "two").ok());
    EXPECT_TRUE(context.effects().put("a", "zero").ok());
    EXPECT_TRUE(context.effects().put("a", std::string("one\0", 4)).ok());
    EXPECT_EQ(rig.outputs("j0"), Outputs{}) << "staged is not written";
    return Success{};
  });
  EXPECT_EQ(rig.state, JobState::done);
  EXPECT_EQ(found, (Outputs{1, {{"a", std::string("one\0", 4), 1, 1}, {"b", "two", 1, 1}}}));
  ASSERT_EQ(rig.shop.all<EffectCommitted>().size(), 1u);
  const auto& event = what<EffectCommitted>(rig.shop.all<EffectCommitted>()[0]);
  EXPECT_EQ(event.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(event.with_settle);
}

TEST(EffectsTest, OfARunThatFailsAreNotWritten) {
  Rig rig;
  const Outputs found = rig.of_one([](Context& context) -> HandlerResult {
    const std::string run = std::to_string(context.run());
    EXPECT_TRUE(context.effects().put("of-run-" + run, run).ok());
    if (context.run() < 3) return Failure{"no luck"};
    return Success{};
  });
  EXPECT_EQ(found, (Outputs{1, {{"of-run-3", "3", 1, 3}}}));
}

TEST(EffectsTest, OfARunThatTimesOutAreNotWritten) {
  Rig rig;
  NewJob job;
  job.timeout = 1s;
  job.max_attempts = 1;
  const Outputs found = rig.of_one(
      [](Context& context) -> HandlerResult {
        EXPECT_TRUE(context.effects().put("late", "x").ok());
        context.clock().sleep_until(context.clock().now() + 2s, {});
        return Success{};
      },
      job);
  EXPECT_EQ(rig.state, JobState::dead);
  EXPECT_EQ(found, Outputs{});
}

TEST(EffectsTest, CommittedAtOnceAreDoneOnceThoughTheJobRunsAgain) {
  Rig rig;
  std::vector<Effects::Kept> kept;
  const Outputs found = rig.of_one([&](Context& context) -> HandlerResult {
    const auto done = context.effects().commit("invoice", std::to_string(context.run()));
    EXPECT_TRUE(done.ok());
    kept.push_back(*done);
    const auto seen = context.effects().find("invoice");
    EXPECT_TRUE(seen.ok() && *seen);
    EXPECT_EQ(**seen, kept.back().output);
    EXPECT_FALSE(*context.effects().find("another"));
    if (context.run() < 3) return Failure{"no luck"};
    return Success{};
  });
  const Output first{"invoice", "1", 1, 1};
  ASSERT_EQ(kept.size(), 3u);
  for (const Effects::Kept& one : kept) EXPECT_EQ(one.output, first);
  EXPECT_FALSE(kept[0].repeated);
  EXPECT_TRUE(kept[1].repeated && kept[2].repeated);
  EXPECT_EQ(found, (Outputs{1, {first}}));
  EXPECT_EQ(rig.shop.all<EffectRepeated>().size(), 2u);
  EXPECT_EQ(rig.shop.all<EffectCommitted>().size(), 1u);
}

TEST(EffectsTest, CommittedAtOnceAreTheirOwnThoughTheAnswerIsLost) {
  int losses = 2;
  Trouble trouble;
  trouble.after_commit = [&](const Commit&, const auto&) -> std::optional<Error> {
    if (losses-- > 0) return Trouble::no_answer();
    return std::nullopt;
  };
  Rig rig({.trouble = &trouble});
  const Outputs found = rig.of_one([&](Context& context) -> HandlerResult {
    const auto done = context.effects().commit("invoice", "7");
    EXPECT_TRUE(done.ok() && !done->repeated);
    EXPECT_TRUE(context.effects().put("x", "y").ok());
    return Success{};
  });
  EXPECT_LT(losses, 0);
  EXPECT_EQ(found, (Outputs{2, {{"invoice", "7", 1, 1}, {"x", "y", 1, 1}}}));
  EXPECT_EQ(rig.shop.all<EffectCommitted>().size(), 2u);
}

TEST(EffectsTest, OfAnAckWhoseAnswerIsLostAreWrittenOnce) {
  int losses = 3;
  Trouble trouble;
  trouble.after_commit = [&](const Commit&, const auto&) -> std::optional<Error> {
    if (losses-- > 0) return Trouble::no_answer();
    return std::nullopt;
  };
  Rig rig({.trouble = &trouble});
  const Outputs found = rig.of_one([&](Context& context) -> HandlerResult {
    EXPECT_TRUE(context.effects().put("x", "y").ok());
    return Success{};
  });
  EXPECT_EQ(rig.state, JobState::done);
  EXPECT_EQ(found, (Outputs{1, {{"x", "y", 1, 1}}}));
}

TEST(EffectsTest, AreAppendedOncePerUniqueKey) {
  Rig rig;
  const Outputs found = rig.of_one([](Context& context) -> HandlerResult {
    const std::string run = std::to_string(context.run());
    if (context.run() == 1) {
      EXPECT_TRUE(context.effects().commit("log/first", "early").ok());
      return Failure{"no luck"};
    }
    EXPECT_TRUE(context.effects().append("log", "first", "again").ok());
    EXPECT_TRUE(context.effects().append("log", "second", run).ok());
    return Success{};
  });
  EXPECT_EQ(found, (Outputs{2, {{"log/first", "early", 1, 1}, {"log/second", "2", 1, 2}}}));
  ASSERT_EQ(rig.shop.all<EffectRepeated>().size(), 1u);
  EXPECT_EQ(what<EffectRepeated>(rig.shop.all<EffectRepeated>()[0]).name, "log/first");
}

// The worker does not know yet that it has lost its lease; the store does.
TEST(EffectsTest, OfWhoDoesNotHoldTheJobAreRefused) {
  Rig rig;
  std::optional<Error> refused;
  const Outputs found = rig.of_one([&](Context& context) -> HandlerResult {
    EXPECT_TRUE(context.effects().commit("before", "x").ok());
    rig.shop.cancel("j0");
    const auto kept = context.effects().commit("after", "x");
    if (!kept.ok()) refused = kept.error();
    EXPECT_TRUE(context.effects().put("with-the-ack", "x").ok());
    return Success{};
  });
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ErrorCode::lease_lost);
  EXPECT_EQ(rig.state, JobState::cancelled);
  EXPECT_EQ(found, (Outputs{1, {{"before", "x", 1, 1}}}));
  EXPECT_EQ(rig.shop.all<EffectRefused>().size(), 2u);
}

TEST(EffectsTest, UnderALostLeaseAreRefusedWithoutACall) {
  Trouble trouble;
  trouble.before = [](const Request& request) -> std::optional<Error> {
    if (std::holds_alternative<Extend>(request)) return Trouble::no_answer();
    return std::nullopt;
  };
  Rig rig({.trouble = &trouble});
  int lost = 0;
  const Outputs found = rig.of_one([&](Context& context) -> HandlerResult {
    const bool is_first = lost == 0;
    if (is_first) {
      context.clock().sleep_until(context.clock().now() + 60s, {});
      const auto kept = context.effects().commit("x", "stale");
      EXPECT_TRUE(!kept.ok() && kept.error().code == ErrorCode::lease_lost);
      ++lost;
    }
    EXPECT_EQ(context.effects().put("y", is_first ? "stale" : "fresh").ok(), !is_first);
    return Success{};
  });
  EXPECT_EQ(lost, 1);
  ASSERT_EQ(found.outputs.size(), 1u);
  EXPECT_EQ(found.outputs[0].value, "fresh");
}

TEST(EffectsTest, AreRefusedInASentenceWhereTheDriverKeepsNoRecords) {
  Trouble trouble;
  trouble.no_records = true;
  Rig rig({.trouble = &trouble});
  rig.shop.run([&] {
    auto worker = rig.shop.start(rig.shop.options([](Context& context) -> HandlerResult {
      if (context.job().id == "j1") return Success{"a result"};
      const Status staged = context.effects().put("x", "y");
      EXPECT_FALSE(staged.ok());
      return Success{};
    }));
    for (int i = 0; i < 2; ++i) rig.shop.put();
    EXPECT_TRUE(rig.shop.all_end());
    for (const JobId& id : rig.shop.jobs()) {
      EXPECT_EQ(rig.shop.state(id), JobState::dead);
      EXPECT_EQ(rig.shop.get(id).job.last_error,
                "this driver keeps no records, so there are no flows and no outputs here");
    }
  });
}

TEST(EffectsTest, AreRefusedWhereTheyAreTooLargeOrBadlyNamed) {
  Rig rig;
  NewJob job;
  job.max_attempts = 1;
  const Outputs found = rig.of_one(
      [](Context& context) -> HandlerResult {
        Effects& effects = context.effects();
        EXPECT_EQ(effects.put("", "x").error().message, "the output's name is empty");
        EXPECT_FALSE(effects.put(std::string(201, 'n'), "x").ok());
        EXPECT_FALSE(effects.put(std::string("a\0b", 3), "x").ok());
        EXPECT_EQ(effects.commit("big", std::string(1'000'001, 'x')).error().message,
                  "the output big has 1000001 bytes, 1000000 are allowed");
        return Success{};
      },
      job);
  EXPECT_EQ(rig.state, JobState::dead) << "it staged what cannot be written";
  EXPECT_EQ(found, Outputs{});
}

TEST(EffectsTest, HaveTheResultOfAJobAmongThem) {
  Rig rig;
  EXPECT_EQ(rig.of_one([](Context&) -> HandlerResult { return Success{"42"}; }),
            (Outputs{1, {{"result", "42", 1, 1}}}));
  Rig other;
  NewJob job;
  job.max_attempts = 1;
  EXPECT_EQ(
      other.of_one([](Context&) -> HandlerResult { return Success{std::string(1'000'001, 'x')}; },
                   job),
      Outputs{});
  EXPECT_EQ(other.view.job.last_error, "the result has 1000001 bytes, 1000000 are allowed");
}

TEST(EffectsTest, AreReadByVersionAndForgotten) {
  Rig rig;
  rig.shop.run([&] {
    auto worker = rig.shop.start(rig.shop.options([](Context& context) -> HandlerResult {
      EXPECT_TRUE(context.effects().commit("x", "one").ok());
      EXPECT_TRUE(context.effects().put("x", "two").ok());
      return Success{};
    }));
    rig.shop.put();
    EXPECT_TRUE(rig.shop.all_end());
    const auto session = std::move(rig.shop.driver().open({"reader", Role::admin})).value();
    Clock& clock = rig.shop.clock();
    const auto second = output_of(*session, clock, "j0", "x", 2);
    ASSERT_TRUE(second.ok() && *second);
    EXPECT_EQ((*second)->value, "two");
    const auto first = output_of(*session, clock, "j0", "x", 1);
    EXPECT_EQ(first.error().code, ErrorCode::conflict);
    EXPECT_FALSE(*output_of(*session, clock, "j0", "none"));
    EXPECT_EQ(rig.outputs("j0").version, 2);
    EXPECT_TRUE(forget_outputs(*session, clock, "j0").ok());
    EXPECT_TRUE(forget_outputs(*session, clock, "j0").ok());
    EXPECT_EQ(rig.outputs("j0"), Outputs{});
  });
}

// A handler that never returns may still call after its worker has ended.
TEST(EffectsTest, AreRefusedAfterTheWorkerEnded) {
  Rig rig;
  std::optional<Error> refused;
  rig.shop.run([&] {
    WorkerOptions options = rig.shop.options([&](Context& context) -> HandlerResult {
      context.clock().sleep_until(context.clock().now() + 300s, {});
      const auto kept = context.effects().commit("x", "y");
      if (!kept.ok()) refused = kept.error();
      return Success{};
    });
    options.grace = options.interruption = 1s;
    auto worker = rig.shop.start(options);
    rig.shop.put();
    rig.shop.pass(1s);
    EXPECT_EQ(worker->shutdown().did_not_return.size(), 1u);
    worker.reset();
    rig.shop.pass(600s);
  });
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ErrorCode::closed);
}

// Its driver may be gone as soon as the worker is.
TEST(EffectsTest, ThatAreJustBeingWrittenAreWaitedForByTheWorkersEnd) {
  Trouble trouble;
  bool is_made = false;
  Clock* clock = nullptr;
  trouble.before_commit = [&](const Commit&) -> std::optional<Error> {
    clock->sleep_until(clock->now() + 20s, {});
    is_made = true;
    return std::nullopt;
  };
  Rig rig({.trouble = &trouble});
  clock = &rig.shop.clock();
  rig.shop.run([&] {
    WorkerOptions options = rig.shop.options([&](Context& context) -> HandlerResult {
      static_cast<void>(context.effects().commit("x", "y"));
      context.clock().sleep_until(context.clock().now() + 300s, {});
      return Success{};
    });
    options.grace = options.interruption = 1s;
    auto worker = rig.shop.start(options);
    rig.shop.put();
    rig.shop.pass(1s);
    EXPECT_EQ(worker->shutdown().did_not_return.size(), 1u);
    EXPECT_TRUE(is_made);
    worker.reset();
    EXPECT_EQ(rig.outputs("j0").version, 1);
    rig.shop.pass(600s);
  });
}

// Two workers on a slow machine whose calls and answers are lost: leases lapse, jobs run again, and
// each output is of one run.
TEST(EffectsTest, AreOfOneRunWhateverHappens) {
  int stale = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    Random dice(seed);
    const auto spoil = [&]() -> std::optional<Error> {
      if (dice.below(100) < 6) return Trouble::no_answer();
      return std::nullopt;
    };
    Trouble trouble;
    trouble.after = [&](const Request&) { return spoil(); };
    trouble.before = [&](const Request& request) -> std::optional<Error> {
      const auto* beat = std::get_if<Extend>(&request);
      const bool is_mute = beat && stable_hash(beat->hold.token) % 3 == 0;
      return is_mute ? Trouble::no_answer() : spoil();
    };
    trouble.before_commit = [&](const Commit&) { return spoil(); };
    std::map<std::string, int> writes;  // that took effect, whether the answer arrives or not
    trouble.after_commit = [&](const Commit& commit, const auto& answer) {
      if (answer.ok() && answer->applied)
        for (const Put& put : commit.puts)
          if (put.key.starts_with("output/")) ++writes[put.key];
      return spoil();
    };
    trouble.reading = [&] { return spoil(); };
    Shop shop({.seed = seed, .slow_percent = 2, .trouble = &trouble, .pct = seed % 5 == 0});
    shop.run([&] {
      WorkerOptions options = shop.options(
          [](Context& context) -> HandlerResult {
            const std::string when = std::to_string(to_ms(context.clock().now()));
            const auto kept = context.effects().commit("once", when);
            if (!kept.ok()) return Failure{kept.error().message};
            const auto slept = sleeps(1000ms)(context);
            if (std::holds_alternative<Failure>(slept)) return slept;
            if (!context.effects().put("out", kept->output.value).ok()) return Failure{"no"};
            return Success{};
          },
          2);
      options.lease = 900ms;
      NewJob job;
      job.max_attempts = 100;
      auto first = shop.start(options);
      options.name = "v";
      auto second = shop.start(options);
      for (int i = 0; i < 4; ++i) shop.put(job);
      EXPECT_TRUE(shop.all_end(48h));
      first->shutdown();
      second->shutdown();
      trouble = {};
      const auto session = std::move(shop.driver().open({"reader", Role::admin})).value();
      for (const JobId& id : shop.jobs()) {
        EXPECT_EQ(shop.state(id), JobState::done);
        const auto found = outputs_of(*session, shop.clock(), id);
        ASSERT_TRUE(found.ok() && found->outputs.size() == 2) << seed;
        EXPECT_EQ(found->version, 2);
        EXPECT_EQ(found->outputs[0].value, found->outputs[1].value) << "the first one's";
        for (const Output& output : found->outputs) EXPECT_EQ(output.version, 1) << output.name;
      }
    });
    for (const auto& [key, count] : writes) EXPECT_EQ(count, 1) << key;
    EXPECT_EQ(writes.size(), 8u);
    stale += static_cast<int>(shop.all<LeaseLost>().size());
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(stale, 20) << "no lease lapsed";
}

}  // namespace
}  // namespace assay::engine
