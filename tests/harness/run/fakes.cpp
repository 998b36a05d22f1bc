#include "tests/harness/run/fakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace assay::fakes {
namespace {

struct Run {
  Faults faults;
  std::shared_ptr<Traffic> traffic;
  int enqueues = 0;  // counted by several threads
};

class FakeSession final : public Session {
 public:
  explicit FakeSession(Run& run) : run_(run) {}

  Result<Enqueued> enqueue(Instant, const Enqueue&) override {
    const Faults& faults = run_.faults;
    const int number = ++std::atomic_ref(run_.enqueues);
    if (faults.enqueue_throws) throw std::runtime_error("no such luck");
    if (faults.unreachable) return Error{ErrorCode::unavailable, "gone"};
    if (faults.garbage) return Enqueued{std::string("\0\xff\n", 3), true};
    if (faults.lies_from > 0 && number >= faults.lies_from) return Enqueued{"lie", false};
    if (faults.restless) return Enqueued{fmt::format("job-{}", ++run_.traffic->ids), false};
    return Enqueued{fmt::format("job-{}", number), false};
  }
  Result<Claims> reserve(Instant, const Reserve&) override {
    if (!run_.faults.garbage) return Claims{};
    Claim claim;
    claim.job.id = "nobody's";
    claim.job.attempts = -5;
    claim.job.state = static_cast<JobState>(77);
    claim.expires_at = Instant::min();
    return Claims{{claim, claim}};
  }
  Result<Extended> extend(Instant, const Extend&) override {
    if (run_.faults.garbage) return Extended{Instant::max()};
    return not_found("never handed out");
  }
  Status ack(Instant, const Ack&) override {
    if (run_.faults.garbage) return Error{static_cast<ErrorCode>(99), ""};
    return not_found("never handed out");
  }
  Status close() override { return Done{}; }

 private:
  Run& run_;
};

class FakeDriver final : public Driver {
 public:
  FakeDriver(const DriverOptions& options, Run run)
      : profile_(options.profile), run_(std::move(run)) {}

  const Profile& profile() const override {
    if (run_.faults.profile_throws) throw std::runtime_error("unsaid");
    return profile_;
  }
  Status setup(const Setup&) override {
    const int number = ++run_.traffic->setups;
    if (run_.faults.setup_throws) throw 42;
    if (run_.faults.no_setup) return Error{ErrorCode::unavailable, "no store here"};
    if (number == run_.faults.breaks_after + 1 && number > 1)
      return Error{ErrorCode::unavailable, "store fell over"};
    run_.enqueues = 0;
    return Done{};
  }
  Status teardown() override { return Done{}; }
  Result<std::unique_ptr<Session>> open(const SessionSpec&) override {
    if (run_.faults.null_session) return std::unique_ptr<Session>();
    return std::unique_ptr<Session>(new FakeSession(run_));
  }
  Result<Instant> now() override { return run_epoch; }

 private:
  Profile profile_;
  Run run_;
};

void judge_enqueue(const Moment& moment, Verdicts& verdicts) {
  if (moment.answer<Claims>()) verdicts.triggered("CLAIM-6");
  if (moment.request<Ack>() && moment.ok()) verdicts.triggered("ACK-1");
  const Enqueued* answer = moment.answer<Enqueued>();
  if (!answer) return;
  verdicts.triggered("ENQ-1");
  if (answer->id == "lie") verdicts.convict("ENQ-1", nullptr, {}, "That id is a lie.");
}

Plan enqueues(int count) {
  Plan plan;
  plan.clients = {{"producer", Role::producer}};
  for (int i = 0; i < count; ++i) {
    Step step;
    step.kind = StepKind::enqueue;
    step.slot = i;
    step.queues = {"q"};
    step.type = "t";
    plan.steps.push_back(step);
  }
  return plan;
}

Plan one_job(const Profile&) {
  Plan plan = enqueues(1);
  plan.name = "scenario/one_job";
  return plan;
}

Plan three_jobs(const Profile&) {
  Plan plan = enqueues(3);
  plan.name = "scenario/three_jobs";
  return plan;
}

}  // namespace

DriverInfo driver(const Faults& faults, std::shared_ptr<Traffic> traffic) {
  if (!traffic) traffic = std::make_shared<Traffic>();
  return {"fake", "a fake",
          [faults, traffic](const DriverOptions& options) -> Result<std::unique_ptr<Driver>> {
            ++traffic->made;
            if (faults.factory_throws) throw std::runtime_error("factory on fire");
            if (faults.cannot_be_made) return Error{ErrorCode::unavailable, "out of stock"};
            return std::unique_ptr<Driver>(new FakeDriver(options, {faults, traffic}));
          }};
}

std::span<const Property> properties() {
  static constexpr std::array<std::string_view, 4> rules{"ENQ-1", "CLAIM-6", "ACK-1", "CLAIM-1"};
  static const std::array<Property, 1> all{
      Property{.family = "FAKE", .rules = rules, .operation = judge_enqueue}};
  return all;
}

std::span<const Scenario> scenarios() {
  static const std::array<Scenario, 2> all{
      Scenario{"one_job", "One job is enqueued.", "", {"ENQ-1"}, one_job},
      Scenario{"three_jobs", "Three jobs are enqueued.", "", {"ENQ-1"}, three_jobs}};
  return all;
}

std::span<const Scenario> idle_scenarios() {
  static const std::array<Scenario, 2> all{
      Scenario{"idle", "Claims to ack.", "", {"ENQ-1", "ACK-1"}, one_job},
      Scenario{"elsewhere", "Needs what is not there.", "idem=none", {"ACK-1"}, one_job}};
  return all;
}

Parts parts() {
  static const DriverInfo canary = driver({.lies_from = 1});
  return {.properties = properties(),
          .scenarios = scenarios(),
          .canary = &canary,
          .canary_rule = "ENQ-1"};
}

CertifyOptions options() {
  CertifyOptions options;
  options.driver = "fake";
  options.profile = built_in_profile("reference").value();
  options.seed = 7;
  options.rules = {"ENQ-1", "CLAIM-6"};
  options.cases = 5;
  return options;
}

const RuleReport* find(const Report& report, std::string_view id) {
  const auto found = std::ranges::find(report.rules, id, &RuleReport::id);
  return found == report.rules.end() ? nullptr : &*found;
}

Verdict verdict_of(const Report& report, std::string_view id) {
  const RuleReport* found = find(report, id);
  return found ? found->verdict : Verdict::waived;
}

std::string text_of(const Report& report) {
  std::string text =
      fmt::format("{} {} {} {} {} {}\n", report.seed, report.scenarios, report.generated,
                  report.operations, report.partial, report.exit_status);
  for (const auto& rule : report.rules)
    text += fmt::format("{} {} {} {} {}\n{}\n{}\n", rule.id, name_of(rule.verdict), rule.reason,
                        rule.triggered, rule.cases, rule.story, rule.token);
  for (const auto& rule : report.not_tested) text += fmt::format("{} {}\n", rule.id, rule.reason);
  for (const auto& line : report.troubles) text += line + "\n";
  for (const auto& line : report.driver_troubles) text += line + "\n";
  return text;
}

}  // namespace assay::fakes
