#include "harness/run/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <stdexcept>

#include "harness/history/payload.h"
#include "harness/remote/process.h"
#include "tests/fakes/scripted_driver.h"

namespace assay {
namespace {

using fakes::ScriptedDriver;
using Lines = std::vector<std::string>;

// A queue of one job at a time: enqueue makes j1, j2, ...; each claim is of the first job.
struct Store {
  int jobs = 0;
  int tokens = 0;
  std::optional<std::int64_t> attempt;
  std::int64_t attempts = 0;
  Instant granted = run_epoch + Duration(30'000);
  std::vector<Request> asked;

  Result<Response> operator()(const std::string&, Instant now, const Request& request) {
    asked.push_back(request);
    if (std::holds_alternative<Enqueue>(request))
      return Response(Enqueued{"j" + std::to_string(++jobs), false});
    if (const auto* reserve = std::get_if<Reserve>(&request)) {
      Claims claims;
      if (jobs > 0)
        claims.claims.push_back({.job = {.id = "j1", .attempts = attempts},
                                 .token = "t" + std::to_string(++tokens),
                                 .attempt = attempt,
                                 .expires_at = now + reserve->lease});
      return Response(claims);
    }
    if (std::holds_alternative<Extend>(request)) return Response(Extended{granted});
    if (std::holds_alternative<Nack>(request))
      return Response(Nacked{JobState::scheduled, now + Duration(700)});
    if (std::holds_alternative<Get>(request)) return Response(JobView{});
    if (const auto* list = std::get_if<List>(&request))
      return Response(JobPage{{}, list->cursor ? std::nullopt : std::optional<std::string>("c1")});
    if (std::holds_alternative<Requeue>(request)) return Response(Requeued{"again"});
    return Response(Done{});
  }
};

struct Bench {
  Store store;
  ScriptedDriver driver;
  Plan plan{"test/plan", {{"w1", Role::worker}, {"w2", Role::admin}}, {}};

  Bench() {
    driver.script = [this](const std::string& session, Instant now, const Request& request) {
      return store(session, now, request);
    };
  }

  RunResult run() { return assay::run(plan, driver, "scripted"); }
  Step& add(Step step) { return plan.steps.emplace_back(std::move(step)); }
  void enqueue(int slot) { add({.kind = StepKind::enqueue, .slot = slot, .queues = {"q"}}); }
  void reserve(int slot) { add({.kind = StepKind::reserve, .slot = slot, .queues = {"q"}}); }
};

template <class R>
const R& asked(const Bench& bench, std::size_t index) {
  return std::get<R>(bench.store.asked.at(index));
}

const ReturnEvent& last_return(const RunResult& result) {
  return std::get<ReturnEvent>(result.history.events.back());
}

TEST(Run, RecordsEachCallBeforeItsAnswer) {
  Bench bench;
  bench.enqueue(0);
  bench.reserve(0);
  const auto result = bench.run();
  ASSERT_FALSE(result.trouble);
  ASSERT_EQ(result.history.events.size(), 4U);
  const auto& call = std::get<CallEvent>(result.history.events[2]);
  EXPECT_EQ(call.op, 1U);
  EXPECT_EQ(call.now, run_epoch);
  EXPECT_EQ(std::get<Reserve>(call.request).worker, "w1");
  EXPECT_EQ(std::get<Claims>(last_return(result).response).claims.at(0).token, "t1");
  EXPECT_EQ(result.step_of_op, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(result.history.clients, (Lines{"w1", "w2"}));
  EXPECT_EQ(result.history.driver, "scripted");
}

// "call w1", "return w1", "clock": who did what, in the order of the history.
Lines order_of(const History& history) {
  Lines lines;
  std::map<OpId, std::string> callers;
  for (const Event& event : history.events) {
    if (const auto* call = std::get_if<CallEvent>(&event)) {
      callers[call->op] = history.clients[static_cast<std::size_t>(call->client)];
      lines.push_back("call " + callers[call->op]);
    } else if (const auto* end = std::get_if<ReturnEvent>(&event)) {
      lines.push_back("return " + callers[end->op]);
    } else {
      lines.push_back("clock");
    }
  }
  return lines;
}

// Its script is called by several threads.
struct FreeBench : Bench {
  std::mutex mutex;

  FreeBench() {
    driver.script = [this](const std::string& session, Instant now, const Request& request) {
      const std::lock_guard lock(mutex);
      return store(session, now, request);
    };
  }
  void enqueue(int client, int slot) {
    add({.kind = StepKind::enqueue, .client = client, .slot = slot, .free = true, .queues = {"q"}});
  }
  void ack(int client, int slot) {
    add({.kind = StepKind::ack, .client = client, .free = true, .token = {.claim = {slot, 0}}});
  }
  void wait() { add({.kind = StepKind::advance, .when = When{}}); }
};

TEST(Run, BeginsTheFreeStepsOfAllClientsBeforeAnyOfThemEnds) {
  for (int i = 0; i < 50; ++i) {
    FreeBench bench;
    bench.enqueue(0, 0);
    bench.enqueue(1, 1);
    const auto result = bench.run();
    ASSERT_FALSE(result.trouble);
    Lines order = order_of(result.history);
    ASSERT_EQ(order.size(), 4U);
    std::sort(order.begin(), order.begin() + 2);
    std::sort(order.begin() + 2, order.end());
    EXPECT_EQ(order, (Lines{"call w1", "call w2", "return w1", "return w2"}));
  }
}

TEST(Run, KeepsTheOrderOfAClientsOwnFreeSteps) {
  FreeBench bench;
  for (int slot = 0; slot < 8; ++slot) bench.enqueue(slot % 2, slot);
  const auto result = bench.run();
  std::map<int, std::size_t> last;
  for (const Event& event : result.history.events)
    if (const auto* call = std::get_if<CallEvent>(&event)) {
      const std::size_t step = result.step_of_op.at(call->op);
      EXPECT_EQ(bench.plan.steps[step].client, call->client);
      EXPECT_GE(step, last[call->client]);
      last[call->client] = step;
    }
  EXPECT_EQ(result.step_of_op.size(), 8U);
}

TEST(Run, LetsFreeStepsOnBothSidesOfAMoveOfTheClockNotMeet) {
  for (int i = 0; i < 50; ++i) {
    FreeBench bench;
    bench.enqueue(0, 0);
    bench.wait();
    bench.enqueue(1, 1);
    EXPECT_EQ(order_of(bench.run().history),
              (Lines{"call w1", "return w1", "call w2", "return w2"}));
  }
}

TEST(Run, WaitsForNobodyWhoseFreeStepsAreAllPassedOver) {
  FreeBench bench;
  bench.ack(0, 5);
  bench.enqueue(1, 0);
  bench.enqueue(1, 1);
  EXPECT_EQ(bench.run().step_of_op.size(), 2U);
}

TEST(Run, EndsForAllClientsWhereTheDriverBreaksForOne) {
  FreeBench bench;
  for (int slot = 0; slot < 100; ++slot) bench.enqueue(slot % 2, slot);
  bench.wait();
  bench.enqueue(0, 100);
  bench.driver.health_answer = unsupported("it is gone");
  bench.driver.script = [&](const std::string& session, Instant, const Request&) {
    if (session == "w2") throw std::runtime_error("broken");
    return Result<Response>(Enqueued{"j", false});
  };
  const auto result = bench.run();
  ASSERT_TRUE(result.trouble);
  EXPECT_EQ(result.trouble->message, "it is gone");
  EXPECT_LT(result.step_of_op.back(), 100U);
}

// What the fault of a plan does to its run, while clients move.
std::function<void(Surroundings&)> deed;

struct Deed final : Fault {
  explicit Deed(Surroundings& around) : around(around) {}
  Status begin() override {
    deed(around);
    return Done{};
  }
  Result<std::string> proof() override { return std::string("it is done"); }
  Status end() override { return Done{}; }
  Surroundings& around;
};

struct FaultyBench : FreeBench {
  const FaultInfo faults[1] = {
      {.name = "deed",
       .family = "made up",
       .summary = "",
       .is_brief = true,
       .make = [](const FaultSpec&, int, Surroundings& around) -> std::unique_ptr<Fault> {
         return std::make_unique<Deed>(around);
       }}};

  Stage stage;

  RunResult run() {
    Step begin{.kind = StepKind::begin_fault, .slot = 99, .free = true};
    begin.fault = FaultSpec{"deed", true, {}};
    plan.steps.insert(plan.steps.begin(), begin);
    stage.faults = faults;
    return assay::run(plan, driver, "scripted", stage);
  }
};

TEST(Run, StallsAndMisleadsClientsThatAreMoving) {
  FaultyBench bench;
  constexpr Duration offset{5'000};
  std::atomic<int> made = 0;
  for (int slot = 0; slot < 400; ++slot) bench.enqueue(slot % 2, slot);
  bench.driver.script = [&](const std::string& session, Instant, const Request&) {
    if (session == "w1") ++made;
    return Result<Response>(Enqueued{"j", false});
  };
  deed = [&](Surroundings& around) {
    for (int i = 0; made < 200; ++i) {
      around.stall(1, i % 2 == 0);
      ASSERT_TRUE(around.skew(0, i % 2 == 0 ? offset : Duration{0}, 0).ok());
      around.skewed_calls(0);
    }
  };
  const auto result = bench.run();
  ASSERT_FALSE(result.trouble);
  int calls = 0;
  for (const Event& event : result.history.events)
    if (const auto* call = std::get_if<CallEvent>(&event); call && call->client == 0) {
      ++calls;
      EXPECT_TRUE(call->now == run_epoch || call->now == run_epoch + offset);
    }
  EXPECT_EQ(calls, 200);
}

TEST(Run, BeginsADeadClientAnewWhenTheCallIsOverThatItDiedIn) {
  FaultyBench bench;
  std::promise<void> in_call, revived;
  const auto is_revived = revived.get_future();
  bench.enqueue(0, 0);
  bench.driver.script = [&](const std::string&, Instant, const Request&) {
    in_call.set_value();
    // Its call ends only after this, unless who asks for it does not wait.
    is_revived.wait_for(std::chrono::milliseconds(100));
    return Result<Response>(Enqueued{"j", false});
  };
  std::ptrdiff_t opened = 0;
  deed = [&](Surroundings& around) {
    in_call.get_future().wait();
    around.lose(0);
    EXPECT_TRUE(around.process_of(0).ok());
    revived.set_value();
    opened = std::ranges::count(bench.driver.life, "open w1");
  };
  EXPECT_FALSE(bench.run().trouble);
  EXPECT_EQ(opened, 2);
}

TEST(Run, OutlivesAClientThatDiesAtAnyMoment) {
  FaultyBench bench;
  for (int slot = 0; slot < 400; ++slot) bench.enqueue(0, slot);
  deed = [&](Surroundings& around) {
    for (int i = 0; i < 2'000; ++i) {
      EXPECT_TRUE(around.process_of(0).ok());
      around.doom(0);
      around.lose(0);
    }
  };
  const auto result = bench.run();
  EXPECT_FALSE(result.trouble);
  EXPECT_EQ(result.step_of_op.size(), 400U);
}

// Something that can be killed.
class Sleeper final : public ClientProcess {
 public:
  Sleeper() : process_(std::move(Process::start({{"sleep", "600"}, {}, {}})).value()) {}
  int pid() const override { return process_->pid(); }
  std::optional<std::string> ending(double wait_seconds) override {
    return process_->ending(wait_seconds);
  }

 private:
  std::unique_ptr<Process> process_;
};

// Whoever is to be cut off is when the test says so, and its call is not over before the other has
// gone on.
struct SlowCut final : StoreGates {
  std::function<void()> cut_off;
  std::promise<void> other_goes_on;
  std::unique_ptr<Carrier> threads = thread_carrier();

  Result<std::string> url_of(int) override { return std::string("made://up"); }
  std::vector<Trip> take_trips() override { return {}; }
  std::string take_refusal() override { return {}; }
  Gates& gates() override { return threads->gates(); }
  Explored run(std::vector<std::function<void()>> bodies, Strategy& strategy,
               const std::vector<int>& clients) override {
    return threads->run(std::move(bodies), strategy, clients);
  }
  void begin_call(int, const std::optional<Cut>&, std::function<void()> on_cut) override {
    cut_off = std::move(on_cut);
  }
  Ended end_call(int) override {
    other_goes_on.get_future().wait_for(std::chrono::seconds(5));
    return {1, true, true};
  }
};

TEST(Run, BlamesNoDriverForAClientThatItIsKilling) {
  FaultyBench bench;
  Sleeper process;
  SlowCut cut;
  bench.stage.store = &cut;
  bench.stage.cuts = &cut;
  for (int slot = 0; slot < 4; ++slot) bench.enqueue(slot % 2, slot);
  std::promise<void> armed, killed;
  const auto is_armed = armed.get_future().share(), is_killed = killed.get_future().share();
  std::atomic<bool> is_gone = false, is_known_dead = false;
  bench.driver.process = &process;
  bench.driver.abandoned = [&] { is_known_dead = true; };
  bench.driver.is_broken = [&] { return is_gone && !is_known_dead; };
  deed = [&](Surroundings& around) {
    EXPECT_TRUE(around.kill_at(0, {1, CutPoint::after_effect}).ok());
    armed.set_value();
  };
  int first = 0, second = 0;
  const Error lost{ErrorCode::unavailable, "nobody answers"};
  bench.driver.script = [&](const std::string& session, Instant,
                            const Request&) -> Result<Response> {
    if (session == "w1") {
      is_armed.wait();
      if (++first == 1) return Response(Enqueued{"j", false});
      cut.cut_off();
      is_gone = true;
      killed.set_value();
      return lost;
    }
    is_killed.wait();
    if (++second == 1) return lost;
    cut.other_goes_on.set_value();
    return Response(Enqueued{"j", false});
  };
  const auto result = bench.run();
  EXPECT_FALSE(result.trouble) << result.trouble->message;
  EXPECT_EQ(result.step_of_op.size(), 4U);
  EXPECT_TRUE(is_known_dead);
}

TEST(Run, OpensInOrderAndClosesWhoeverDidNotCloseItself) {
  Bench bench;
  bench.add({.kind = StepKind::close, .client = 0});
  const auto result = bench.run();
  EXPECT_EQ(bench.driver.life,
            (Lines{"setup", "open w1", "open w2", "close w1", "close w2", "teardown"}));
  EXPECT_EQ(result.history.events.size(), 2U);
}

TEST(Run, PassesOverAStepWhoseReferenceIsEmpty) {
  Bench bench;
  bench.reserve(0);
  bench.add({.kind = StepKind::ack, .job = {.kind = JobRef::Kind::made, .slot = 0}});
  bench.add({.kind = StepKind::get, .job = {.kind = JobRef::Kind::made, .slot = 7}});
  bench.add({.kind = StepKind::list, .queues = {"q"}, .next_page = true});
  const auto result = bench.run();
  EXPECT_EQ(result.step_of_op, (std::vector<std::size_t>{0}));
}

TEST(Run, SpeaksForTheClaimThatTheSlotHolds) {
  Bench bench;
  bench.store.attempt = 4;
  bench.enqueue(0);
  bench.reserve(3);
  bench.add({.kind = StepKind::ack,
             .job = {.kind = JobRef::Kind::made, .slot = 0},
             .token = {.claim = {3, 0}},
             .attempt_offset = -1});
  bench.run();
  EXPECT_EQ(asked<Ack>(bench, 2).hold, (Hold{"j1", "t1", 3}));
}

TEST(Run, AForgedTokenBorrowsTheAttemptNumberOfTheJobsLastClaim) {
  Bench bench;
  bench.store.attempt = 2;
  bench.enqueue(0);
  bench.reserve(0);
  bench.add({.kind = StepKind::ack,
             .job = {.kind = JobRef::Kind::made, .slot = 0},
             .token = {.kind = TokenRef::Kind::forged, .forged = "mine"}});
  bench.run();
  EXPECT_EQ(asked<Ack>(bench, 2).hold, (Hold{"j1", "mine", 2}));
}

TEST(Run, CountsAFailureUnlessTheStartCountedItself) {
  for (const auto counter : {Counter::failures, Counter::starts}) {
    Bench bench;
    bench.driver.claims.counter = counter;
    bench.store.attempts = 5;
    bench.enqueue(0);
    bench.reserve(0);
    bench.add({.kind = StepKind::fail});
    bench.add({.kind = StepKind::fail, .attempts = 9});
    bench.run();
    EXPECT_EQ(asked<Fail>(bench, 2).attempts, counter == Counter::starts ? 5 : 6);
    EXPECT_EQ(asked<Fail>(bench, 3).attempts, 9);
  }
}

TEST(Run, KnowsWhenAJobIsDue) {
  Bench bench;
  const JobRef job{.kind = JobRef::Kind::made, .slot = 0};
  bench.enqueue(0);
  bench.plan.steps[0].when = When{.offset = Duration(5'000)};
  bench.add({.when = When{.base = When::Base::due, .job = job, .offset = Duration(-1)}});
  bench.reserve(0);
  bench.add({.kind = StepKind::nack});
  bench.add({.when = When{.base = When::Base::due, .job = job}});
  const auto result = bench.run();
  EXPECT_EQ(asked<Enqueue>(bench, 0).job.run_at, run_epoch + Duration(5'000));
  EXPECT_EQ(std::get<ClockEvent>(result.history.events[2]).now, run_epoch + Duration(4'999));
  EXPECT_EQ(std::get<ClockEvent>(result.history.events.back()).now, run_epoch + Duration(5'699));
}

TEST(Run, KnowsWhenALeaseEndsAsLastExtended) {
  Bench bench;
  bench.store.granted = run_epoch + Duration(77'000);
  const When expiry{.base = When::Base::expiry, .claim = {0, 0}};
  bench.enqueue(0);
  bench.reserve(0);
  bench.add({.when = expiry});
  bench.add({.kind = StepKind::extend});
  bench.add({.when = expiry});
  bench.add({.when = expiry});
  const auto result = bench.run();
  const auto& events = result.history.events;
  EXPECT_EQ(std::get<ClockEvent>(events[4]).now, run_epoch + Duration(30'000));
  EXPECT_EQ(std::get<ClockEvent>(events[7]).now, run_epoch + Duration(77'000));
  EXPECT_EQ(events.size(), 8U);  // an instant that is not in the future moves nothing
}

TEST(Run, MovesTheStoresClockWhereLeasesAreJudgedByIt) {
  Bench bench;
  bench.driver.claims.clock = ClockKnob::store;
  bench.driver.claims.capabilities = {"virtual_time"};
  bench.driver.clock = instant_from_ms(1'000);
  bench.add({.when = When{.offset = Duration(250)}});
  bench.enqueue(0);
  const auto result = bench.run();
  ASSERT_FALSE(result.trouble);
  EXPECT_EQ(std::get<ClockEvent>(result.history.events[0]).now, instant_from_ms(1'250));
  EXPECT_EQ(std::get<CallEvent>(result.history.events[1]).now, instant_from_ms(1'250));
  EXPECT_EQ(bench.driver.clock, instant_from_ms(1'250));
}

TEST(Run, IsInTroubleWhereTheClockStandsStillOrSlips) {
  Bench bench;
  bench.driver.claims.clock = ClockKnob::store;
  bench.add({.when = When{.offset = Duration(250)}});
  bench.enqueue(0);
  const auto stuck = bench.run();
  ASSERT_TRUE(stuck.trouble);
  EXPECT_NE(stuck.trouble->message.find("ran apart"), std::string::npos) << stuck.trouble->message;
  EXPECT_TRUE(stuck.history.events.empty());

  bench.driver.claims.capabilities = {"virtual_time"};
  bench.driver.clock_slips = Duration(1);
  EXPECT_TRUE(bench.run().trouble);
  EXPECT_EQ(bench.driver.life.back(), "teardown");
}

TEST(Run, TurnsPagesWhereThereIsANextOne) {
  Bench bench;
  for (int i = 0; i < 3; ++i)
    bench.add({.kind = StepKind::list, .queues = {"q"}, .limit = 2, .next_page = i > 0});
  bench.run();
  ASSERT_EQ(bench.store.asked.size(), 2U);
  EXPECT_EQ(asked<List>(bench, 1).cursor, "c1");
  EXPECT_EQ(asked<List>(bench, 1).limit, 2);
}

TEST(Run, TellsRefusedFromUnknownAndSurvivesWhatADriverThrows) {
  Bench bench;
  bench.enqueue(0);
  bench.driver.script = [](auto&&...) -> Result<Response> { return conflict("no"); };
  EXPECT_EQ(last_return(bench.run()).outcome, OutcomeKind::refused);
  bench.driver.script = [](auto&&...) -> Result<Response> {
    return Error{ErrorCode::conflict, "perhaps", LeaseReason::unstated, false};
  };
  EXPECT_EQ(last_return(bench.run()).outcome, OutcomeKind::unknown);
  bench.driver.script = [](auto&&...) -> Result<Response> { throw std::runtime_error("bang"); };
  const auto thrown = bench.run();
  EXPECT_EQ(last_return(thrown).outcome, OutcomeKind::unknown);
  EXPECT_EQ(last_return(thrown).error.code, ErrorCode::internal);
  EXPECT_NE(last_return(thrown).error.message.find("bang"), std::string::npos);
  bench.driver.script = [](auto&&...) -> Result<Response> { throw 7; };
  EXPECT_EQ(last_return(bench.run()).outcome, OutcomeKind::unknown);
}

TEST(RunInterrupted, GoesOnWithAnotherDriverInTheSameNamespace) {
  Bench bench;
  bench.enqueue(0);
  bench.enqueue(1);
  bench.enqueue(2);
  ScriptedDriver second;
  second.claims.clock = bench.driver.claims.clock = ClockKnob::store;
  second.claims.capabilities = bench.driver.claims.capabilities = {"virtual_time"};
  second.clock = run_epoch - Duration{5};
  second.script = bench.driver.script;
  const Interruptions interruptions{
      [&](std::size_t step) { return Result<Driver*>(step == 1 ? &second : nullptr); },
      [](const Error& error) { return Result<Driver*>(error); }};
  const RunResult ran = run_interrupted(bench.plan, bench.driver, "scripted", interruptions);
  EXPECT_FALSE(ran.trouble);
  EXPECT_EQ(ran.history.events.size(), 6u);
  EXPECT_EQ(bench.driver.life, (Lines{"open w1", "open w2"}));
  EXPECT_EQ(second.life, (Lines{"advance 5", "open w1", "open w2"}));
}

TEST(RunInterrupted, KnowsNothingOfACallThatFailed) {
  Bench bench;
  bench.enqueue(0);
  bench.enqueue(1);
  bench.driver.script = [](auto&&...) -> Result<Response> {
    return Error{ErrorCode::unavailable, "gone", LeaseReason::unstated, true};
  };
  Interruptions interruptions{[](std::size_t) { return Result<Driver*>(nullptr); },
                              [](const Error&) { return Result<Driver*>(nullptr); }};
  const RunResult ran = run_interrupted(bench.plan, bench.driver, "scripted", interruptions);
  EXPECT_EQ(last_return(ran).outcome, OutcomeKind::unknown);
  EXPECT_EQ(ran.step_of_op.size(), 2u);
  interruptions.after_failure = [](const Error& error) { return Result<Driver*>(error); };
  const RunResult ended = run_interrupted(bench.plan, bench.driver, "scripted", interruptions);
  EXPECT_EQ(ended.step_of_op.size(), 1u);
  ASSERT_TRUE(ended.trouble.has_value());
  EXPECT_EQ(ended.trouble->message, "gone");
}

TEST(Run, IsInTroubleWhereSetupOrOpenFails) {
  Bench bench;
  bench.driver.open_answer = Error{ErrorCode::unavailable, "no room"};
  const auto unopened = bench.run();
  ASSERT_TRUE(unopened.trouble);
  EXPECT_EQ(unopened.trouble->message, "no room");
  EXPECT_EQ(bench.driver.life, (Lines{"setup", "open w1", "teardown"}));
  bench.driver.setup_answer = Error{ErrorCode::unavailable, "no disk"};
  EXPECT_EQ(bench.run().trouble->message, "no disk");
}

TEST(Run, HandsThePayloadOverWholeAndRecordsItsDigest) {
  Bench bench;
  bench.enqueue(0);
  bench.plan.steps[0].payload = {.kind = PayloadSpec::Kind::pattern, .size = 5'000, .seed = 1};
  const auto result = bench.run();
  const std::string whole = bytes_of(bench.plan.steps[0].payload);
  EXPECT_EQ(asked<Enqueue>(bench, 0).job.payload, whole);
  const auto& call = std::get<CallEvent>(result.history.events[0]);
  EXPECT_EQ(std::get<Enqueue>(call.request).job.payload, compact_payload(whole));
}

TEST(Run, RefusesAPlanThatMakesNoSense) {
  Bench bench;
  bench.add({.kind = StepKind::enqueue, .client = 2});
  ASSERT_TRUE(bench.run().trouble);
  EXPECT_TRUE(bench.driver.life.empty());
}

}  // namespace
}  // namespace assay
