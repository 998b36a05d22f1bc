// The catalogue of faults, and that a run begins, proves and ends what its plan says.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "drivers/memory/memory.h"
#include "faults/all.h"
#include "harness/contract/clock.h"
#include "harness/fault/generate_chaos.h"
#include "harness/fault/journal.h"
#include "harness/plan/build.h"
#include "harness/plan/json.h"
#include "harness/run/run.h"
#include "tests/fakes/scripted_driver.h"

namespace assay {
namespace {

TEST(Faults, HaveNamesOfTheirOwnAFamilyAndAFileOfThatName) {
  std::set<std::string_view> names;
  for (const FaultInfo& fault : all_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_FALSE(fault.summary.empty()) << fault.name;
    EXPECT_TRUE(fault.make) << fault.name;
    const auto file = std::filesystem::path(ASSAY_SOURCE_DIR) / "faults" / fault.family /
                      (std::string(fault.name) + ".cpp");
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
}

TEST(Faults, AreRefusedWhereThereIsNoSuchFaultOrNumber) {
  EXPECT_FALSE(find_fault(all_faults(), {"kill_wroker"}).ok());
  EXPECT_FALSE(find_fault(all_faults(), {"kill_worker", false, {{"times", 3}}}).ok());
  EXPECT_TRUE(find_fault(all_faults(), {"crash_loop", false, {{"times", 3}}}).ok());
}

// What made-up faults did, in order.
std::vector<std::string> log;

struct Made final : Fault {
  Made(std::string name, bool can_begin, bool shows)
      : name(std::move(name)), can_begin(can_begin), shows(shows) {}
  Status begin() override {
    log.push_back(name + " begins");
    return can_begin ? Status(Done{}) : Status(unsupported("not here"));
  }
  Result<std::string> proof() override {
    return shows ? Result<std::string>("it shows") : Result<std::string>(unsupported("no sign"));
  }
  Status end() override {
    log.push_back(name + " ends");
    return Done{};
  }
  std::string name;
  bool can_begin, shows;
};

template <bool can_begin, bool shows>
FaultInfo made_up(std::string_view name) {
  return {.name = name,
          .family = "made up",
          .summary = "",
          .make = [](const FaultSpec& spec, int, Surroundings&) -> std::unique_ptr<Fault> {
            return std::make_unique<Made>(spec.name, can_begin, shows);
          }};
}

class FaultsOfARun : public testing::Test {
 protected:
  void SetUp() override { log.clear(); }

  RunResult ran(const Plan& plan) { return ran(plan, {.faults = faults}); }
  RunResult ran(const Plan& plan, const Stage& stage) {
    VirtualClock clock;
    auto driver = memory().make({profile, clock, 7, std::nullopt, ""});
    return run(plan, **driver, "memory", stage);
  }

  const Profile profile = *built_in_profile("reference");
  const FaultInfo faults[4] = {made_up<true, true>("one"), made_up<true, true>("other"),
                               made_up<false, true>("never"), made_up<true, false>("silent")};
};

TEST_F(FaultsOfARun, EndWhenTheyAreToldToAndElseWithThePlanTheLastOneFirst) {
  PlanBuilder p(profile, "plan");
  p.fault("one", p.w1);
  const int other = p.fault("other", p.w1);
  p.end_fault(other);
  p.fault("other", p.w2);
  const RunResult result = ran(p.build());
  EXPECT_EQ(log, (std::vector<std::string>{"one begins", "other begins", "other ends",
                                           "other begins", "other ends", "one ends"}));
  EXPECT_FALSE(result.void_because);
  ASSERT_EQ(result.faults.size(), 3u);
  for (const FaultRecord& fault : result.faults) EXPECT_TRUE(fault.is_proven()) << fault.fault;
}

TEST_F(FaultsOfARun, AreInTheHistoryWithTheirProof) {
  PlanBuilder p(profile, "plan");
  p.end_fault(p.fault("one", p.w2));
  const RunResult result = ran(p.build());
  std::vector<std::string> said;
  for (const Event& event : result.history.events)
    if (const auto* fault = std::get_if<FaultEvent>(&event)) {
      EXPECT_EQ(fault->client, p.w2);
      said.push_back(std::string(name_of(fault->stage)) + ":" + fault->proof);
    }
  EXPECT_EQ(said, (std::vector<std::string>{"begun:", "proven:it shows", "ended:"}));
}

TEST_F(FaultsOfARun, VoidItWhereOneCannotBeMadeOrShowsNothing) {
  for (const char* name : {"never", "silent", "unheard of"}) {
    PlanBuilder p(profile, "plan");
    p.fault(name, p.w1);
    p.enqueue();
    const RunResult result = ran(p.build());
    ASSERT_TRUE(result.void_because) << name;
    EXPECT_NE(result.void_because->find(name), std::string::npos) << *result.void_because;
    EXPECT_FALSE(result.trouble) << name;
  }
}

TEST_F(FaultsOfARun, DoNotVoidItWhereTheyMetNobody) {
  PlanBuilder p(profile, "plan");
  p.end_fault(p.fault("skew_clock", p.w2));
  p.enqueue();
  const RunResult result = ran(p.build(), {.faults = all_faults()});
  EXPECT_FALSE(result.void_because) << *result.void_because;
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_FALSE(result.faults[0].is_proven());
  EXPECT_TRUE(result.faults[0].met_nobody);
}

TEST_F(FaultsOfARun, AreWrittenDownBeforeTheyBegin) {
  std::string folder = (std::filesystem::temp_directory_path() / "faults_test.XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  {
    auto journal = Journal::open(folder);
    ASSERT_TRUE(journal.ok());
    PlanBuilder p(profile, "plan");
    const int fault = p.fault("pause_worker", p.w2);
    p.enqueue();
    p.end_fault(fault);
    p.enqueue();
    std::vector<std::size_t> owed;
    Stage stage{.faults = all_faults(), .journal = &*journal};
    stage.before_call = [&](OpId) { owed.push_back(Journal::debts(folder).faults.size()); };
    const RunResult result = ran(p.build(), stage);
    EXPECT_FALSE(result.void_because);
    ASSERT_GE(owed.size(), 2u);
    EXPECT_EQ(owed.front(), 1u);
    EXPECT_EQ(owed.back(), 0u);
  }
  std::filesystem::remove_all(folder);
}

TEST_F(FaultsOfARun, WhoseClientsMoveAtOnceComeInTheMiddleOfTheirCalls) {
  PlanBuilder p(profile, "plan");
  p.at_once([&] {
    for (int i = 0; i < 6; ++i) p.enqueue();
    const int fault = p.fault("pause_worker", p.producer);
    for (int i = 0; i < 3; ++i) p.enqueue();
    p.end_fault(fault);
  });
  // When a machine is busy with others, somebody may be late: not each time.
  bool came_in_the_middle = false;
  for (int tries = 0; tries < 50 && !came_in_the_middle; ++tries) {
    const RunResult result = ran(p.build(), {.faults = all_faults()});
    EXPECT_FALSE(result.void_because);
    std::size_t before = 0, during = 0, after = 0, stage = 0;
    for (const Event& event : result.history.events) {
      if (const auto* fault = std::get_if<FaultEvent>(&event))
        stage = fault->stage == FaultEvent::Stage::begun   ? 1
                : fault->stage == FaultEvent::Stage::ended ? 2
                                                           : stage;
      if (std::holds_alternative<ReturnEvent>(event))
        ++(stage == 0 ? before : stage == 1 ? during : after);
    }
    EXPECT_EQ(before + during + after, 9u) << "who stands still makes its calls later";
    // It stood still but for what it was at.
    came_in_the_middle = before >= 6 && during <= 2;
  }
  EXPECT_TRUE(came_in_the_middle);
}

// While it lasts nobody is let in.
fakes::ScriptedDriver* store = nullptr;

struct ShutStore final : Fault {
  Status begin() override {
    store->open_answer = Error{ErrorCode::unavailable, "it is full"};
    store->advance_answer =
        Error{ErrorCode::unavailable, "it is full", LeaseReason::unstated, true};
    return Done{};
  }
  Result<std::string> proof() override { return std::string("it is shut"); }
  Status end() override {
    store->open_answer.reset();
    store->advance_answer.reset();
    return Done{};
  }
};

FaultInfo shut() {
  return {.name = "shut",
          .family = "made up",
          .summary = "",
          .make = [](const FaultSpec&, int, Surroundings&) -> std::unique_ptr<Fault> {
            return std::make_unique<ShutStore>();
          }};
}

TEST_F(FaultsOfARun, MayKeepTheStoreFromBeingToldThatTimePasses) {
  using namespace std::chrono_literals;
  fakes::ScriptedDriver driver;
  driver.claims = profile;
  driver.claims.clock = ClockKnob::store;
  store = &driver;
  const FaultInfo some[] = {shut()};
  Stage stage;
  stage.faults = some;
  PlanBuilder p(driver.claims, "plan");
  const int closed = p.fault("shut", p.w1);
  p.advance(5s);
  p.end_fault(closed);
  p.advance(7s);
  const RunResult result = run(p.build(), driver, "scripted", stage);
  EXPECT_FALSE(result.trouble) << result.trouble->message;
  std::vector<Instant> moves;
  for (const Event& event : result.history.events)
    if (const auto* moved = std::get_if<ClockEvent>(&event)) moves.push_back(moved->now);
  EXPECT_EQ(moves, std::vector<Instant>{run_epoch + 7s});
}

TEST_F(FaultsOfARun, MayTurnAwayAClientThatDiedAndComesBack) {
  fakes::ScriptedDriver driver;
  driver.claims = profile;
  driver.script = [](const std::string&, Instant, const Request&) -> Result<Response> {
    return Response(Enqueued{"job", false});
  };
  store = &driver;
  const FaultInfo some[] = {shut(), faults::kill_worker()};
  Stage stage;
  stage.faults = some;
  PlanBuilder p(profile, "plan");
  const int closed = p.fault("shut", p.w1);
  p.end_fault(p.fault("kill_worker", p.producer));
  p.step({.kind = StepKind::enqueue, .client = p.producer, .queues = {"q"}, .type = "t"});
  p.end_fault(closed);
  p.step({.kind = StepKind::enqueue, .client = p.producer, .queues = {"q"}, .type = "t"});
  const RunResult result = run(p.build(), driver, "scripted", stage);
  EXPECT_FALSE(result.trouble) << result.trouble->message;
  std::vector<OutcomeKind> outcomes;
  for (const Event& event : result.history.events)
    if (const auto* end = std::get_if<ReturnEvent>(&event)) outcomes.push_back(end->outcome);
  EXPECT_EQ(outcomes, (std::vector<OutcomeKind>{OutcomeKind::refused, OutcomeKind::ok}));
}

TEST_F(FaultsOfARun, DoNotKeepARoundFromItsEndWhereTheyEndLater) {
  PlanBuilder p(profile, "plan");
  int fault = 0;
  p.at_once([&] {
    p.enqueue();
    fault = p.fault("pause_worker", p.producer);
    for (int i = 0; i < 3; ++i) p.enqueue();
  });
  p.end_fault(fault);
  p.enqueue();
  const RunResult result = ran(p.build(), {.faults = all_faults()});
  EXPECT_FALSE(result.void_because);
  EXPECT_FALSE(result.trouble);
}

TEST_F(FaultsOfARun, AreAPartOfThePlanInJson) {
  PlanBuilder p(profile, "plan");
  const int fault = p.fault("skew_clock", p.w2, {{"offset_ms", -5}, {"drift_ppm", 7}});
  p.fault_of_all("crash_store");
  p.end_fault(fault);
  const auto back = plan_from_json(to_json(p.build()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, p.build());
  for (const char* wrong :
       {R"({"do": "begin_fault", "slot": 0})", R"({"do": "end_fault"})",
        R"({"do": "begin_fault", "fault": "kill_worker", "client": "nobody"})",
        R"({"do": "begin_fault", "fault": "kill_worker", "with": {"times": "three"}})"}) {
    const std::string text =
        std::string(R"({"name": "p", "clients": [{"name": "w"}], "steps": [)") + wrong + "]}";
    EXPECT_FALSE(plan_from_json(text).ok()) << wrong;
  }
}

TEST(ChaosPlans, AreTheSameForASeedValidAndEndEveryFault) {
  const Profile profile = *built_in_profile("reference");
  std::vector<const FaultInfo*> all;
  for (const FaultInfo& fault : all_faults()) all.push_back(&fault);
  std::set<std::vector<const FaultInfo*>> mixes;
  int with_faults = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto mix = draw_mix(all, seed);
    ASSERT_FALSE(mix.empty());
    mixes.insert(mix);
    const Plan plan = generate_chaos(profile, seed, mix);
    EXPECT_EQ(plan, generate_chaos(profile, seed, mix));
    ASSERT_TRUE(validate(plan).ok()) << validate(plan).error().message;
    std::set<int> open;
    for (const Step& step : plan.steps) {
      if (step.kind == StepKind::begin_fault) open.insert(step.slot);
      if (step.kind == StepKind::end_fault) {
        EXPECT_EQ(open.erase(step.slot), 1u);
      }
    }
    EXPECT_TRUE(open.empty());
    with_faults += has_faults(plan) ? 1 : 0;
  }
  EXPECT_GT(with_faults, 40);
  EXPECT_GT(mixes.size(), 40u);
}

TEST(ChaosPlans, WithClientsThatMoveAtOnceHaveTheirFaultsAmongThoseMoves) {
  const Profile profile = *built_in_profile("reference");
  std::vector<const FaultInfo*> all;
  for (const FaultInfo& fault : all_faults()) all.push_back(&fault);
  int faults = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Plan plan = generate_free_chaos(profile, seed, all, 16);
    EXPECT_EQ(plan, generate_free_chaos(profile, seed, all, 16));
    ASSERT_TRUE(validate(plan).ok()) << validate(plan).error().message;
    EXPECT_EQ(plan.clients.size(), 17u);
    std::map<int, int> open;  // by slot: whom it befalls
    std::set<int> clocks;     // that are set, by slot
    for (const Step& step : plan.steps) {
      const bool ends = step.kind == StepKind::end_fault;
      if (!ends && step.kind != StepKind::begin_fault) continue;
      if (step.fault && step.fault->name == "step_store_clock") clocks.insert(step.slot);
      const bool is_clock = clocks.contains(step.slot);
      EXPECT_NE(step.free, is_clock) << "a client may wait for it, or move while a clock is set";
      if (is_clock) continue;
      if (ends) {
        EXPECT_EQ(open.erase(step.slot), 1u);
        continue;
      }
      ++faults;
      const int whom = step.fault->everybody ? -1 : step.client;
      for (const auto& [slot, other] : open)
        EXPECT_TRUE(whom >= 0 && other >= 0 && whom != other) << "two at once for one client";
      open[step.slot] = whom;
    }
    EXPECT_TRUE(open.empty());
  }
  EXPECT_GT(faults, 60);
}

// How often each was drawn, by its name, in plans of either kind.
std::map<std::string, int> drawn_in(bool at_once, std::uint64_t seeds) {
  const Profile profile = *built_in_profile("reference");
  std::vector<const FaultInfo*> all;
  for (const FaultInfo& fault : all_faults()) all.push_back(&fault);
  std::map<std::string, int> drawn;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    for (const Step& step : (at_once ? generate_free_chaos(profile, seed, all, 16)
                                     : generate_chaos(profile, seed, all))
                                .steps)
      if (step.fault) ++drawn[step.fault->name];
  return drawn;
}

// All but those of an engine's plans.
TEST(ChaosPlans, HaveEveryFaultThereIsAndSeldomWhatTakesLong) {
  auto alone = drawn_in(false, 200), at_once = drawn_in(true, 100);
  for (const FaultInfo& fault : all_faults()) {
    const std::string name(fault.name);
    EXPECT_EQ(fault.drawn_from.has_value(), fault.family != "wakeup") << name;
    EXPECT_GT(at_once[name], 0) << name;
    EXPECT_EQ(alone[name] > 0, !fault.many_at_once) << name;
  }
  EXPECT_LT(2 * (alone["full_disk"] + at_once["full_disk"]),
            alone["crash_store"] + at_once["crash_store"]);
}

TEST(ChaosPlans, DrawNumbersFromTheirRange) {
  const Profile profile = *built_in_profile("reference");
  for (const FaultInfo& fault : all_faults()) {
    if (fault.drawn_between.empty()) continue;
    const FaultInfo* const only[] = {&fault};
    std::map<std::string, std::set<std::int64_t>> seen;
    for (std::uint64_t seed = 0; seed < 40; ++seed)
      for (const Step& step : generate_chaos(profile, seed, only).steps)
        if (step.fault)
          for (const auto& [name, number] : step.fault->with) seen[name].insert(number);
    for (const DrawnNumber& range : fault.drawn_between) {
      const auto& numbers = seen[std::string(range.name)];
      ASSERT_FALSE(numbers.empty()) << fault.name << " " << range.name;
      EXPECT_EQ(*numbers.begin(), range.least) << fault.name << " " << range.name;
      EXPECT_EQ(*numbers.rbegin(), range.most) << fault.name << " " << range.name;
    }
  }
}

// Who asks a store alone that stands still waits until nobody is patient any more; and one that is
// away cannot be told that time passes.
TEST(ChaosPlans, OfClientsThatMoveOneAtATimeHaveNoStoreAwayWhileTimePasses) {
  const Profile profile = *built_in_profile("reference");
  std::vector<const FaultInfo*> of_store;
  for (const FaultInfo& fault : all_faults())
    if (fault.family == "store") of_store.push_back(&fault);
  int faults = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    int open = 0;
    for (const Step& step : generate_chaos(profile, seed, of_store).steps) {
      if (step.kind == StepKind::advance) {
        EXPECT_EQ(open, 0) << seed;
      }
      open += step.kind == StepKind::begin_fault ? 1 : step.kind == StepKind::end_fault ? -1 : 0;
      faults += step.fault ? 1 : 0;
    }
  }
  EXPECT_GT(faults, 100);
}

// Clients move at once, whatever the plan's order is: only what spans several steps of its victim,
// with others' steps in between, meets it.
TEST(ChaosPlans, HaveFaultsThatLastForSeveralStepsOfWhomTheyBefall) {
  const Profile profile = *built_in_profile("reference");
  const FaultInfo* const only[] = {
      &*std::ranges::find(all_faults(), "partition", &FaultInfo::name)};
  int faults = 0, long_enough = 0;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const Plan plan = generate_free_chaos(profile, seed, only, 32);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      if (!plan.steps[i].fault) continue;
      int own = 0, others = 0;
      for (std::size_t at = i + 1; plan.steps[at].slot != plan.steps[i].slot; ++at)
        ++(plan.steps[at].client == plan.steps[i].client ? own : others);
      ++faults;
      long_enough += own >= 4 && others >= own;
    }
  }
  EXPECT_GT(faults, 100);
  EXPECT_GT(long_enough, faults * 9 / 10) << "of " << faults;
}

}  // namespace
}  // namespace assay
