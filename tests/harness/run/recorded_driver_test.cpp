#include "harness/run/recorded_driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include "drivers/all.h"
#include "harness/contract/records.h"
#include "harness/history/jsonl.h"
#include "harness/history/payload.h"
#include "harness/judge/judge.h"
#include "properties/all.h"
#include "tests/fakes/scripted_driver.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using fakes::ScriptedDriver;
using Lines = std::vector<std::string>;

std::string told(const History& history, const Event& event) {
  if (const auto* call = std::get_if<CallEvent>(&event))
    return history.clients.at(static_cast<std::size_t>(call->client)) + " " +
           std::string(name_of(call->request)) + " #" + std::to_string(call->op);
  if (const auto* end = std::get_if<ReturnEvent>(&event)) {
    const std::string op = "#" + std::to_string(end->op) + " ";
    if (end->outcome == OutcomeKind::ok) return op + "ok";
    return op + (end->outcome == OutcomeKind::refused ? "refused " : "unknown ") +
           std::string(name_of(end->error.code));
  }
  return "other";
}

Lines told(const History& history) {
  Lines lines;
  for (const Event& event : history.events) lines.push_back(told(history, event));
  return lines;
}

template <class E>
std::vector<E> all(const History& history) {
  std::vector<E> found;
  for (const Event& event : history.events)
    if (const auto* one = std::get_if<E>(&event)) found.push_back(*one);
  return found;
}

Result<Response> answers(const std::string&, Instant now, const Request& request) {
  if (std::holds_alternative<Enqueue>(request)) return Response(Enqueued{"j"});
  if (const auto* reserve = std::get_if<Reserve>(&request))
    return Response(Claims{{{.token = "t", .expires_at = now + reserve->lease}}});
  return Response(Done{});
}

std::unique_ptr<Driver> memory_on(const Clock& clock, Profile profile) {
  for (const DriverInfo& info : all_drivers())
    if (info.name == "memory")
      return std::move(info.make({profile, const_cast<Clock&>(clock), 1})).value();
  return nullptr;
}

struct OnMemory {
  VirtualClock clock;
  std::unique_ptr<Driver> inner = memory_on(clock, *built_in_profile("reference"));
  RecordedDriver driver{*inner, {"memory", "test", &clock}};
  std::unique_ptr<Session> session;

  OnMemory() {
    EXPECT_TRUE(driver.setup({"test"}).ok());
    session = std::move(driver.open({"w"})).value();
  }
  Instant now() const { return clock.now(); }
  Claim claimed() {
    EXPECT_TRUE(session->enqueue(now(), {{.queue = "q", .type = "t"}}).ok());
    auto claims = session->reserve(now(), {{"q"}, 30s, "w"});
    EXPECT_TRUE(claims.ok() && claims->claims.size() == 1);
    return claims->claims.at(0);
  }
  // All that happened since.
  Lines since(std::size_t events) const {
    Lines lines = told(driver.history());
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(events));
    return lines;
  }
  std::size_t events() const { return driver.history().events.size(); }
};

TEST(RecordedDriver, WritesEachCallBeforeItIsMadeAndItsEndAfter) {
  ScriptedDriver inner;
  RecordedDriver driver(inner, {.driver = "scripted", .plan = "by hand"});
  Lines seen_inside;
  inner.script = [&](const std::string& name, Instant now, const Request& request) {
    seen_inside = told(driver.history());
    return answers(name, now, request);
  };
  auto session = std::move(driver.open({"w1"})).value();
  ASSERT_TRUE(session->ack(run_epoch, {}).ok());
  EXPECT_EQ(seen_inside, (Lines{"w1 ack #0"}));
  ASSERT_TRUE(session->close().ok());
  EXPECT_EQ(told(driver.history()), (Lines{"w1 ack #0", "#0 ok", "w1 close #1", "#1 ok"}));
  EXPECT_EQ(driver.history().driver, "scripted");
  EXPECT_EQ(driver.history().plan, "by hand");
}

TEST(RecordedDriver, PassesEveryCallOnAsItIs) {
  ScriptedDriver inner;
  std::vector<Request> asked;
  Instant at = {};
  inner.script = [&](const std::string& name, Instant now, const Request& request) {
    asked.push_back(request);
    at = now;
    if (std::holds_alternative<Get>(request)) return Result<Response>(Response(JobView{}));
    if (std::holds_alternative<List>(request)) return Result<Response>(Response(JobPage{}));
    if (std::holds_alternative<Dead>(request)) return Result<Response>(Response(DeadPage{}));
    if (std::holds_alternative<Requeue>(request)) return Result<Response>(Response(Requeued{"r"}));
    if (std::holds_alternative<Nack>(request)) return Result<Response>(Response(Nacked{}));
    if (std::holds_alternative<Extend>(request)) return Result<Response>(Response(Extended{}));
    return answers(name, now, request);
  };
  RecordedDriver driver(inner, {});
  auto session = std::move(driver.open({"w"})).value();
  const Instant now = run_epoch + 5s;
  const std::vector<Request> requests{Enqueue{{.queue = "q"}},
                                      Reserve{{"q"}, 1s},
                                      Extend{{"j", "t"}, 2s},
                                      Ack{{"j", "t"}},
                                      Retry{{"j", "t"}},
                                      Fail{{"j", "t"}},
                                      Nack{{"j", "t"}},
                                      Get{"j"},
                                      List{"q"},
                                      Dead{"q"},
                                      Requeue{"j"}};
  for (const Request& request : requests) EXPECT_TRUE(perform(*session, now, request).ok());
  EXPECT_EQ(asked, requests);
  EXPECT_EQ(at, now);
  const auto calls = all<CallEvent>(driver.history());
  ASSERT_EQ(calls.size(), requests.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i].request, requests[i]);
    EXPECT_EQ(calls[i].now, now);
  }
  // What the scripted one has not is refused by it, and that is passed on, too.
  for (const Request& request : {Request(Cancel{"j"}), Request(Pause{"q"}), Request(Resume{"q"})})
    EXPECT_EQ(perform(*session, now, request).error().code, ErrorCode::unsupported);
  EXPECT_EQ(session->records(), nullptr);
}

TEST(RecordedDriver, TellsARefusalFromAnUnknownOutcome) {
  ScriptedDriver inner;
  RecordedDriver driver(inner, {});
  auto session = std::move(driver.open({"w"})).value();
  inner.script = [](auto&&...) { return lease_lost(LeaseReason::expired, "over"); };
  EXPECT_EQ(session->ack(run_epoch, {}).error().reason, LeaseReason::expired);
  inner.script = [](auto&&...) { return Error{ErrorCode::unavailable, "no answer"}; };
  EXPECT_FALSE(session->ack(run_epoch, {}).ok());
  EXPECT_EQ(told(driver.history()),
            (Lines{"w ack #0", "#0 refused lease_lost", "w ack #1", "#1 unknown unavailable"}));
}

TEST(RecordedDriver, GivesEachSessionAClientOfItsOwn) {
  ScriptedDriver inner;
  RecordedDriver driver(inner, {});
  inner.script = answers;
  auto first = std::move(driver.open({"w"})).value();
  ASSERT_TRUE(first->close().ok());
  auto second = std::move(driver.open({"w"})).value();
  ASSERT_TRUE(second->ack(run_epoch, {}).ok());
  EXPECT_EQ(driver.clients(), (Lines{"w", "w (2)"}));
  EXPECT_EQ(told(driver.history()).at(2), "w (2) ack #1");
}

TEST(RecordedDriver, HasNoClientWhereNoSessionWasOpened) {
  ScriptedDriver inner;
  inner.open_answer = Error{ErrorCode::unavailable, "closed today"};
  RecordedDriver driver(inner, {});
  EXPECT_FALSE(driver.open({"w"}).ok());
  EXPECT_TRUE(driver.clients().empty());
}

TEST(RecordedDriver, ClosesByTheLastClockThatItWasShown) {
  ScriptedDriver inner;
  RecordedDriver driver(inner, {});
  inner.script = answers;
  auto caller = std::move(driver.open({"a"})).value();
  auto silent = std::move(driver.open({"b"})).value();
  ASSERT_TRUE(caller->ack(run_epoch + 7s, {}).ok());
  ASSERT_TRUE(silent->close().ok());
  EXPECT_EQ(all<CallEvent>(driver.history()).at(1).now, run_epoch + 7s);
}

TEST(RecordedDriver, KeepsLargePayloadsByTheirDigestOnBothSides) {
  OnMemory memory;
  const std::string large(100'000, 'x');
  ASSERT_TRUE(
      memory.session->enqueue(memory.now(), {{.queue = "q", .type = "t", .payload = large}}).ok());
  const auto claims = memory.session->reserve(memory.now(), {{"q"}, 30s, "w"});
  EXPECT_EQ(claims->claims.at(0).job.payload, large);
  const History history = memory.driver.history();
  const auto asked = std::get<Enqueue>(all<CallEvent>(history).at(0).request);
  const auto given = std::get<Claims>(all<ReturnEvent>(history).at(1).response);
  EXPECT_EQ(asked.job.payload, compact_payload(large));
  EXPECT_EQ(given.claims.at(0).job.payload, compact_payload(large));
}

TEST(RecordedDriver, WritesCallsThatAreMadeTogetherAsOverlapping) {
  OnMemory memory;
  const std::vector<Enqueue> requests{{{.queue = "q", .type = "t"}}, {{.queue = "", .type = "t"}}};
  const auto answers = memory.session->enqueue_all(memory.now(), requests);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(answers[0].ok());
  const Claim claim =
      std::move(memory.session->reserve(memory.now(), {{"q"}, 30s, "w"})).value().claims.at(0);
  const std::vector<Ack> acks{{{claim.job.id, claim.token}}, {{"nobody", "x"}}};
  EXPECT_EQ(memory.session->ack_all(memory.now(), acks).size(), 2U);
  EXPECT_EQ(told(memory.driver.history()),
            (Lines{"w enqueue #0", "w enqueue #1", "#0 ok", "#1 refused invalid", "w reserve #2",
                   "#2 ok", "w ack #3", "w ack #4", "#3 ok", "#4 refused not_found"}));
}

TEST(RecordedDriver, WritesACommitAsItsParts) {
  OnMemory memory;
  const Claim claim = memory.claimed();
  const std::size_t before = memory.events();
  Commit commit;
  commit.settle = Ack{{claim.job.id, claim.token}};
  commit.puts = {{"seen", "1"}};
  commit.enqueues = {{{.id = "child", .queue = "q", .type = "t"}}};
  ASSERT_TRUE(memory.session->records()->commit(memory.now(), commit).ok());
  EXPECT_EQ(memory.since(before), (Lines{"w ack #2", "w enqueue #3", "#2 ok", "#3 ok"}));
  const auto returned = all<ReturnEvent>(memory.driver.history()).at(3);
  EXPECT_EQ(std::get<Enqueued>(returned.response).id, "child");
  EXPECT_EQ((*memory.session->records()->read(memory.now(), "seen"))->value, "1");
}

TEST(RecordedDriver, SaysOfACommitThatWasMadeBeforeThatItsEnqueuesWereNotAskedFor) {
  OnMemory memory;
  const Claim claim = memory.claimed();
  Commit commit;
  commit.settle = Ack{{claim.job.id, claim.token}};
  commit.enqueues = {{{.id = "child", .queue = "q", .type = "t"}}};
  ASSERT_TRUE(memory.session->records()->commit(memory.now(), commit).ok());
  const std::size_t before = memory.events();
  const auto again = memory.session->records()->commit(memory.now(), commit);
  ASSERT_TRUE(again.ok() && !again->applied);
  EXPECT_EQ(memory.since(before),
            (Lines{"w ack #4", "w enqueue #5", "#4 ok", "#5 refused unavailable"}));
}

TEST(RecordedDriver, WritesWhatACountdownEnqueuesWhenItsTurnHasCome) {
  OnMemory memory;
  const auto count = [&](const std::string& mark) {
    Commit commit;
    commit.counts = {{"left", 2, mark, {{{.id = "last", .queue = "q", .type = "t"}}}}};
    return memory.session->records()->commit(memory.now(), commit).ok();
  };
  ASSERT_TRUE(count("one"));
  ASSERT_TRUE(count("two"));
  EXPECT_EQ(told(memory.driver.history()),
            (Lines{"w enqueue #0", "#0 refused unavailable", "w enqueue #1", "#1 ok"}));
}

TEST(RecordedDriver, GivesTheRefusalOfACommitToThePartThatItSpeaksOf) {
  OnMemory memory;
  const Claim claim = memory.claimed();
  Commit commit;
  commit.settle = Ack{{claim.job.id, "stale"}};
  commit.enqueues = {{{.id = "child", .queue = "q", .type = "t"}}};
  std::size_t before = memory.events();
  ASSERT_FALSE(memory.session->records()->commit(memory.now(), commit).ok());
  EXPECT_EQ(memory.since(before),
            (Lines{"w ack #2", "w enqueue #3", "#2 refused lease_lost", "#3 refused unavailable"}));
  commit.settle = Ack{{claim.job.id, claim.token}};
  commit.enqueues[0].job.id = claim.job.id;
  commit.enqueues[0].job.type = "another";
  before = memory.events();
  ASSERT_FALSE(memory.session->records()->commit(memory.now(), commit).ok());
  EXPECT_EQ(memory.since(before), (Lines{"w ack #4", "w enqueue #5", "#4 refused unavailable",
                                         "#5 refused duplicate_id"}));
  // A record that is not at its version is nobody's fault here: the ack was good.
  commit.enqueues.clear();
  commit.puts = {{"absent", "", 3}};
  before = memory.events();
  ASSERT_FALSE(memory.session->records()->commit(memory.now(), commit).ok());
  EXPECT_EQ(memory.since(before), (Lines{"w ack #6", "#6 refused unavailable"}));
}

// A session whose commits get no answer.
class Mute final : public Session, private Records {
 public:
  Result<Enqueued> enqueue(Instant, const Enqueue&) override { return lost(); }
  Result<Claims> reserve(Instant, const Reserve&) override { return lost(); }
  Result<Extended> extend(Instant, const Extend&) override { return lost(); }
  Status ack(Instant, const Ack&) override { return lost(); }
  Status close() override { return Done{}; }
  assay::Records* records() override { return this; }

 private:
  static Error lost() { return {ErrorCode::unavailable, "no answer"}; }
  Result<Committed> commit(Instant, const Commit&) override { return lost(); }
  Result<std::optional<Record>> read(Instant, const std::string&) override { return lost(); }
  Result<RecordPage> scan(Instant, const Scan&) override { return lost(); }
};

class MuteDriver final : public Driver {
 public:
  const Profile& profile() const override { return profile_; }
  Status setup(const Setup&) override { return Done{}; }
  Status teardown() override { return Done{}; }
  Result<std::unique_ptr<Session>> open(const SessionSpec&) override {
    return std::unique_ptr<Session>(std::make_unique<Mute>());
  }
  Result<Instant> now() override { return run_epoch; }

 private:
  Profile profile_;
};

TEST(RecordedDriver, KnowsNothingOfThePartsOfACommitWithoutAnAnswer) {
  MuteDriver inner;
  RecordedDriver driver(inner, {});
  auto session = std::move(driver.open({"w"})).value();
  Commit commit;
  commit.settle = Fail{{"j", "t"}};
  commit.enqueues = {{{.queue = "q", .type = "t"}}};
  EXPECT_FALSE(session->records()->commit(run_epoch, commit).ok());
  EXPECT_EQ(told(driver.history()), (Lines{"w fail #0", "w enqueue #1", "#0 unknown unavailable",
                                           "#1 unknown unavailable"}));
}

TEST(RecordedDriver, WritesNothingForACommitThatOnlyLooksAtALease) {
  OnMemory memory;
  const Claim claim = memory.claimed();
  const std::size_t before = memory.events();
  Commit commit;
  commit.settle = Hold{claim.job.id, claim.token};
  commit.puts = {{"progress", "50"}};
  ASSERT_TRUE(memory.session->records()->commit(memory.now(), commit).ok());
  EXPECT_EQ(memory.since(before), (Lines{}));
}

TEST(RecordedDriver, GivesItsEventsAwayOnce) {
  OnMemory memory;
  memory.claimed();
  EXPECT_EQ(memory.driver.take_events().size(), 4U);
  EXPECT_TRUE(memory.driver.take_events().empty());
  memory.driver.record(ClockEvent{run_epoch});
  EXPECT_EQ(memory.driver.take_events(), (std::vector<Event>{ClockEvent{run_epoch}}));
  ASSERT_TRUE(memory.session->close().ok());
  EXPECT_EQ(told(memory.driver.history()).at(0), "w close #2");
}

TEST(RecordedDriver, WritesTheStoresClockWhereTheStoreLivesByIt) {
  VirtualClock clock;
  ScriptedDriver inner;
  inner.claims.clock = ClockKnob::store;
  inner.claims.capabilities.insert("virtual_time");
  RecordedDriver driver(inner, {.clock = &clock});
  inner.script = [&](const std::string& name, Instant now, const Request& request) {
    if (std::holds_alternative<Enqueue>(request)) clock.advance(3s);  // it takes its time
    return answers(name, now, request);
  };
  auto session = std::move(driver.open({"w"})).value();
  ASSERT_TRUE(driver.advance(10s).ok());
  ASSERT_TRUE(session->ack(run_epoch - 1h, {}).ok());
  ASSERT_TRUE(session->enqueue(run_epoch - 1h, {{.queue = "q", .type = "t"}}).ok());
  const History history = driver.history();
  EXPECT_EQ(history.events.at(0), Event(ClockEvent{run_epoch + 10s}));
  EXPECT_EQ(all<CallEvent>(history).at(0).now, run_epoch + 10s);
  EXPECT_EQ(all<ReturnEvent>(history).at(0).now, std::nullopt);
  EXPECT_EQ(all<CallEvent>(history).at(1).now, run_epoch + 10s);
  EXPECT_EQ(all<ReturnEvent>(history).at(1).now, run_epoch + 13s);
}

// Its clock is an hour ahead of the machine's, and runs.
class AheadDriver final : public Driver {
 public:
  AheadDriver() { profile_.clock = ClockKnob::store; }
  const Profile& profile() const override { return profile_; }
  Status setup(const Setup&) override { return Done{}; }
  Status teardown() override { return Done{}; }
  Result<std::unique_ptr<Session>> open(const SessionSpec&) override {
    return std::unique_ptr<Session>(std::make_unique<Mute>());
  }
  Result<Instant> now() override { return clock_.now() + ahead; }

  Duration ahead = 1h;

 private:
  Profile profile_;
  RealClock clock_;
};

TEST(RecordedDriver, MeasuresAStoresClockThatNobodyCanMove) {
  AheadDriver inner;
  RecordedDriver driver(inner, {});
  ASSERT_TRUE(driver.setup({"test"}).ok());
  auto session = std::move(driver.open({"w"})).value();
  const Instant before = RealClock().now();
  EXPECT_FALSE(session->ack(run_epoch, {}).ok());
  const Instant after = RealClock().now();
  const History history = driver.history();
  const Instant earliest = all<CallEvent>(history).at(0).now;
  const auto latest = all<ReturnEvent>(history).at(0).now;
  ASSERT_TRUE(latest.has_value());
  EXPECT_LE(earliest, after + 1h);
  EXPECT_GE(*latest, before + 1h);
  EXPECT_LT(earliest, *latest);
  EXPECT_TRUE(driver.compare_clocks().ok());
  inner.ahead = 2h;
  EXPECT_FALSE(driver.compare_clocks().ok());
}

TEST(RecordedDriver, GivesAHistoryOfManyAtOnceThatCanBeJudged) {
  OnMemory memory;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i)
      workers.emplace_back([&memory, i] {
        auto session = std::move(memory.driver.open({"w" + std::to_string(i)})).value();
        const Instant now = memory.now();
        for (int k = 0; k < 50; ++k) {
          ASSERT_TRUE(session->enqueue(now, {{.queue = "q", .type = "t"}}).ok());
          const auto claims = session->reserve(now, {{"q"}, 30s, "w"});
          ASSERT_TRUE(claims.ok());
          for (const Claim& claim : claims->claims)
            ASSERT_TRUE(session->ack(now, {{claim.job.id, claim.token}}).ok());
        }
        ASSERT_TRUE(session->close().ok());
      });
  }
  std::stringstream file;
  write_jsonl(memory.driver.history(), file);
  const auto read = read_jsonl(file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->clients.size(), 5U);
  const Judgement judgement = judge(*read, all_properties());
  EXPECT_TRUE(judgement.findings.empty()) << judgement.findings.front().story;
  EXPECT_EQ(judgement.tallies.of("CLOSE-1").convicted, 0U);
  EXPECT_EQ(std::ranges::count_if(read->events,
                                  [](const Event& event) {
                                    const auto* end = std::get_if<ReturnEvent>(&event);
                                    return end && std::holds_alternative<Claims>(end->response);
                                  }),
            200);
}

}  // namespace
}  // namespace assay
