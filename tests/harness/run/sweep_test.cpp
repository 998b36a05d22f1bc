// Clients that are cut off, on the drivers that ship and on one that a dead client breaks.
#include "harness/run/sweep.h"

#include <gtest/gtest.h>

#include "drivers/all.h"
#include "drivers/mutants/forwarding.h"
#include "harness/contract/profile_json.h"
#include "harness/plan/account.h"
#include "harness/plan/json.h"
#include "harness/run/parts.h"
#include "tests/drivers/sqlite_fixture.h"

namespace assay {
namespace {

// Claims go one at a time, by a lock that nobody frees where its holder dies.
class LockedSession final : public mutants::ForwardingSession {
 public:
  LockedSession(std::unique_ptr<Session> inner, Gates* gates, std::shared_ptr<bool> locked)
      : ForwardingSession(std::move(inner), nullptr), gates_(gates), locked_(std::move(locked)) {}

  Result<Claims> reserve(Instant now, const Reserve& request) override {
    if (*locked_) return Claims{};
    *locked_ = true;
    gates_->pass("claim");
    auto claims = inner().reserve(now, request);
    *locked_ = false;
    return claims;
  }

 private:
  Gates* const gates_;
  const std::shared_ptr<bool> locked_;  // shared by all sessions
};

class LockedDriver final : public Driver {
 public:
  LockedDriver(std::unique_ptr<Driver> inner, Gates* gates)
      : inner_(std::move(inner)), gates_(gates) {}
  const Profile& profile() const override { return inner_->profile(); }
  Status setup(const Setup& setup) override {
    *locked_ = false;
    return inner_->setup(setup);
  }
  Status teardown() override { return inner_->teardown(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override {
    auto session = inner_->open(spec);
    if (!session.ok()) return session.error();
    return std::unique_ptr<Session>(
        std::make_unique<LockedSession>(std::move(*session), gates_, locked_));
  }
  Result<Instant> now() override { return inner_->now(); }
  Result<Instant> advance(Duration by) override { return inner_->advance(by); }

 private:
  const std::unique_ptr<Driver> inner_;
  Gates* const gates_;
  const std::shared_ptr<bool> locked_ = std::make_shared<bool>(false);
};

DriverInfo locked() {
  DriverInfo info = memory();
  info.make = [make = info.make](const DriverOptions& options) -> Result<std::unique_ptr<Driver>> {
    auto inner = make(options);
    if (!inner.ok()) return inner.error();
    return std::unique_ptr<Driver>(
        std::make_unique<LockedDriver>(std::move(*inner), options.gates));
  };
  return info;
}

class Sweeping : public testing::Test {
 protected:
  SweepReport swept(const DriverInfo& driver, const std::string& profile = "reference",
                    bool go_on = true) {
    SweepOptions options;
    options.driver = driver.name;
    options.profile = *built_in_profile(profile);
    options.seed = 42;
    for (const Scenario& scenario : built_in_parts().scenarios)
      if (scenario.swept) options.plan = scenario.plan(options.profile);
    options.go_on = go_on;
    options.scratch = scratch.path();
    return sweep(driver, options, built_in_parts(), {});
  }

  lite_test::TempFolder scratch;
};

TEST_F(Sweeping, AccountsForEveryJobOfACorrectDriverWhereverAClientIsCutOff) {
  for (const auto& driver : {memory(), sqlite()})
    for (const char* profile : {"reference", "taskharbor", "trace", "upnext", "weave"}) {
      const SweepReport report = swept(driver, profile);
      EXPECT_EQ(exit_status_of(report), 0) << driver.name << " " << profile;
      EXPECT_TRUE(report.whole());
      EXPECT_EQ(report.undecided, 0u);
      EXPECT_GT(report.points, report.calls);
      for (const char* operation : {"enqueue", "reserve", "extend", "ack"})
        EXPECT_GT(report.points_of.count(operation), 0u) << operation;
    }
}

TEST_F(Sweeping, CutsADriverWithoutGatesAtTheBoundariesOfItsCalls) {
  DriverInfo plain = memory();
  plain.interleaving = Interleaving::calls;
  const SweepReport report = swept(plain);
  EXPECT_EQ(exit_status_of(report), 0);
  EXPECT_EQ(report.points, 2 * report.calls);
}

TEST_F(Sweeping, ConvictsALockThatNobodyFreesWhereItsHolderDies) {
  const SweepReport report = swept(locked());
  EXPECT_EQ(exit_status_of(report), 1);
  ASSERT_FALSE(report.rules.empty());
  EXPECT_EQ(report.rules[0].report.id, "CLAIM-7");
  ASSERT_TRUE(report.rules[0].report.plan);
  EXPECT_TRUE(has_cuts(*report.rules[0].report.plan));
  EXPECT_LE(report.rules[0].report.plan->steps.size(), 4u);

  const auto token = decode_token(report.rules[0].report.token);
  ASSERT_TRUE(token.ok());
  for (int times = 0; times < 20; ++times) {
    const ReplayResult again =
        replay(*token, locked(), built_in_parts(), {std::nullopt, scratch.path()});
    EXPECT_TRUE(again.convicted);
    EXPECT_TRUE(again.match) << again.divergence;
  }
}

TEST_F(Sweeping, EndsAtTheFirstConvictionUnlessItIsToGoOn) {
  const SweepReport first = swept(locked(), "reference", false);
  const SweepReport all = swept(locked(), "reference", true);
  EXPECT_EQ(first.violations, 1u);
  EXPECT_GT(all.violations, 1u);
  EXPECT_LT(first.runs, all.runs);
  EXPECT_TRUE(all.whole());
  EXPECT_FALSE(first.whole());
}

TEST(Cut, IsPartOfAPlanInJson) {
  Plan plan{"p", {{"w", Role::worker}}, {}};
  plan.steps.push_back({.kind = StepKind::pause, .queues = {"q"}});
  for (const CutPoint where :
       {CutPoint::before_delivery, CutPoint::after_delivery, CutPoint::after_effect}) {
    plan.steps[0].cut = Cut{3, where};
    const auto read = plan_from_json(to_json(plan));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read, plan);
  }
  for (const char* cut : {R"({"at": 0, "where": "after_effect"})", R"({"at": 1, "where": "soon"})",
                          R"({"where": "after_effect"})", R"({"at": 1})"}) {
    const std::string text =
        std::string(R"({"name": "p", "clients": [{"name": "w"}], "steps": [)") +
        R"({"do": "pause", "client": "w", "queue": "q", "cut": )" + cut + "}]}";
    EXPECT_FALSE(plan_from_json(text).ok()) << cut;
  }
}

TEST(Account, ServesAndLooksAtEveryJobOfThePlan) {
  const Profile profile = *built_in_profile("reference");
  Plan plan{"p", {{"p", Role::producer}}, {}};
  plan.steps.push_back(
      {.kind = StepKind::enqueue, .client = 0, .slot = 5, .queues = {"a"}, .type = "t"});
  plan.schedule = {.kind = Schedule::Kind::choices, .choices = {0, 1}};
  const Plan whole = with_account(plan, profile);
  ASSERT_TRUE(validate(whole).ok()) << validate(whole).error().message;
  int reserves = 0, gets = 0;
  for (const Step& step : whole.steps) {
    reserves += step.kind == StepKind::reserve && step.queues == std::vector<std::string>{"a"};
    gets += step.kind == StepKind::get && step.job.slot == 5;
  }
  EXPECT_GE(reserves, 2);
  EXPECT_EQ(gets, 1);
  // The clock is still the one behind the last client.
  EXPECT_EQ(whole.schedule->choices.back(), static_cast<int>(whole.clients.size()));
}

}  // namespace
}  // namespace assay
