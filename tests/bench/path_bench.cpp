// The path's speeds, as a table: generate, run and judge on `memory` in one thread; the judge alone
// on histories of 10^4 to 10^6 operations. Nothing is asserted: machines differ, ratios within one
// run tell.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>

#include "drivers/memory/memory.h"
#include "harness/judge/judge.h"
#include "harness/plan/generate.h"
#include "harness/run/parts.h"
#include "harness/run/run.h"

namespace assay {
namespace {

std::unique_ptr<Driver> make_memory(const Profile& profile, Clock& clock) {
  auto made = memory().make({profile, clock, 7, {}, {}});
  CHECK(made.ok());
  return std::move(*made);
}

void path(std::string_view name, std::span<const Property> properties) {
  const Profile profile = *built_in_profile(name);
  VirtualClock clock;
  auto driver = make_memory(profile, clock);
  Judge judge(profile, properties);
  double drawn = 0, ran = 0, judged = 0;
  std::size_t operations = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Stopwatch watch;
    const Plan plan = generate(profile, seed);
    drawn += watch.seconds();
    watch = {};
    const RunResult result = run(plan, *driver, "memory");
    ran += watch.seconds();
    watch = {};
    CHECK(judge.judge(result.history).findings.empty());
    judged += watch.seconds();
    operations += result.step_of_op.size();
  }
  const double all = drawn + ran + judged;
  const auto count = static_cast<double>(operations);
  fmt::print("{:<12} {:>10} {:>10.2f} {:>10.2f} {:>10.2f} {:>14.0f}\n", name, operations,
             drawn / count * 1e6, ran / count * 1e6, judged / count * 1e6, count / all);
}

// Jobs that are claimed, extended, looked at, settled, some late and some twice: `operations` of
// them, judged as they are made, so that only the judge's memory grows.
class Workload {
 public:
  Workload(Session& session, VirtualClock& clock, Judge& judge)
      : session_(session), clock_(clock), judge_(judge) {}

  double judge_seconds = 0;
  std::size_t operations = 0;

  void job() {
    call(Enqueue{{.queue = "q", .type = "t", .payload = "payload"}});
    const auto reserved = call(Reserve{{"q"}, Duration{30'000}, "w", 1, {}});
    const Claim claim = std::get<Claims>(reserved).claims.at(0);
    const Hold hold{claim.job.id, claim.token, claim.attempt};
    call(Get{claim.job.id});
    call(Extend{hold, Duration{60'000}});
    if (++jobs_ % 10 == 0) clock_.advance(Duration{1});
    call(Ack{hold});
    call(Ack{hold});
    call(Get{claim.job.id});
  }

 private:
  Response call(const Request& request) {
    const OpId op = operations++;
    auto answer = perform(session_, clock_.now(), request);
    CHECK(answer.ok());
    Stopwatch watch;
    judge_.observe(CallEvent{op, 0, clock_.now(), request});
    judge_.observe(ReturnEvent{op, OutcomeKind::ok, *answer, {}});
    judge_seconds += watch.seconds();
    return *answer;
  }

  Session& session_;
  VirtualClock& clock_;
  Judge& judge_;
  std::size_t jobs_ = 0;
};

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void scaling(std::size_t operations, std::span<const Property> properties) {
  const Profile profile = *built_in_profile("reference");
  VirtualClock clock;
  auto driver = make_memory(profile, clock);
  CHECK(driver->setup({"bench"}).ok());
  auto session = driver->open({"bench", Role::worker});
  CHECK(session.ok());
  Judge judge(profile, properties);
  Workload work(**session, clock, judge);
  while (work.operations < operations) work.job();
  CHECK(judge.finish().findings.empty());
  const auto count = static_cast<double>(work.operations);
  fmt::print("{:>10} {:>12.3f} {:>16.2f} {:>12.0f}\n", work.operations, work.judge_seconds,
             work.judge_seconds / count * 1e6, peak_mib());
}

}  // namespace
}  // namespace assay

int main() {
  const auto properties = assay::built_in_parts().properties;
  fmt::print("generate + run + judge on memory, one thread; microseconds an operation\n");
  fmt::print("{:<12} {:>10} {:>10} {:>10} {:>10} {:>14}\n", "profile", "operations", "generate",
             "run", "judge", "operations/s");
  for (const auto name : assay::profile_names()) assay::path(name, properties);
  fmt::print(
      "\nverdicts of all rules on one history; peak memory includes the driver's own jobs\n");
  fmt::print("{:>10} {:>12} {:>16} {:>12}\n", "operations", "seconds", "us/operation", "peak MiB");
  for (const std::size_t operations : {10'000UL, 100'000UL, 1'000'000UL})
    assay::scaling(operations, properties);
}
