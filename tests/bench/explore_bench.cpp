// How many schedules a second `assay explore` runs and judges, one at a time and one a processor:
// three clients, one job, a claim and a settle each.
//
//   explore_bench [seconds] [memory|sqlite|redis|postgres|leases]
//
// On memory by fibers and by threads, on sqlite by threads, on Redis and Postgres at each round
// trip to a server that is started for it; and how fast virtual time is, in leases that end one
// after the other.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "drivers/all.h"
#include "harness/backend/backend.h"
#include "harness/contract/check.h"
#include "harness/contract/clock.h"
#include "harness/judge/judge.h"
#include "harness/plan/build.h"
#include "harness/run/explore.h"
#include "harness/run/parts.h"
#include "harness/run/run.h"
#include "properties/all.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

DriverInfo driver_named(std::string_view name) {
  return *std::ranges::find(all_drivers(), name, &DriverInfo::name);
}

Plan claim_and_settle(const Profile& profile) {
  PlanBuilder p(profile, "claim and settle");
  const JobRef job = p.enqueue();
  const int clients[] = {p.w1, p.w2, p.client("w3", Role::worker)};
  p.at_once([&] {
    for (const int client : clients) p.ack(client, p.claim(client, job, 10s));
  });
  return p.build();
}

Plan leases(const Profile& profile) {
  PlanBuilder p(profile, "leases");
  for (int i = 0; i < 50; ++i) {
    const JobRef job = p.enqueue();
    const ClaimRef lost = p.claim(p.w1, job, 30s);
    p.advance_to_expiry(lost, profile.reclaim_lag_max);
    p.ack(p.w2, p.claim(p.w2, job, 30s));
  }
  return p.build();
}

struct Where {
  double seconds = 3;
  std::string scratch;
  std::optional<std::string> url = {};
};

double rate(const DriverInfo& driver, const Where& where, int jobs) {
  ExploreOptions options;
  options.driver = driver.name;
  options.profile = *built_in_profile("reference");
  options.seed = 1;
  options.plan = claim_and_settle(options.profile);
  options.schedules = 1'000'000'000;
  options.seconds = where.seconds;
  options.jobs = jobs;
  options.driver_url = where.url;
  options.scratch = where.scratch;
  const ExploreReport report = explore(driver, options, built_in_parts(), {});
  CHECK(exit_status_of(report) == 0);
  return static_cast<double>(report.schedules) / report.seconds;
}

void row(const std::string& name, const DriverInfo& driver, const Where& where) {
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const double alone = rate(driver, where, 1);
  fmt::print("{:<18} {:>12.0f} {:>12.0f}\n", name, alone, rate(driver, where, processors));
  std::fflush(stdout);
}

void stored(const std::string& name, Where where) {
  auto server = start_backend(name, {.scratch = where.scratch});
  if (!server.ok()) {
    fmt::print("{:<18} {:>12}  {}\n", name, "skipped", server.error().message);
    return;
  }
  where.url = (*server)->url();
  row(name + ", trips", driver_named(name), where);
}

void virtual_time(double seconds) {
  VirtualClock clock;
  const Profile profile = *built_in_profile("reference");
  const auto driver = driver_named("memory").make({profile, clock, 1});
  CHECK(driver.ok());
  const Plan plan = leases(profile);
  Judge judge(profile, all_properties());
  double simulated = 0;
  const Stopwatch watch;
  while (watch.seconds() < seconds) {
    const RunResult ran = run(plan, **driver, "memory");
    CHECK(!ran.trouble && judge.judge(ran.history).findings.empty());
    Instant last = run_epoch;
    for (const Event& event : ran.history.events)
      if (const auto* moved = std::get_if<ClockEvent>(&event)) last = moved->now;
    simulated += static_cast<double>(to_ms(last) - to_ms(run_epoch)) / 1000;
  }
  fmt::print("\nleases in virtual time: {:.0f} simulated seconds a second\n",
             simulated / watch.seconds());
}

int bench(double seconds, const std::string& only) {
  const auto is_asked_for = [&](std::string_view name) { return name.starts_with(only); };
  // In memory, as the program does: a throwaway store need not wait for a disk.
  std::string scratch = "/dev/shm/explore_bench-XXXXXX";
  CHECK(mkdtemp(scratch.data()));
  CHECK(chmod(scratch.c_str(), 0755) == 0);  // servers run under accounts of their own
  const Where where{seconds, scratch};
  fmt::print("{:<18} {:>12} {:>12}\n", "schedules/s", "one", "a processor");
  if (is_asked_for("memory")) {
    DriverInfo driver = driver_named("memory");
    row("memory, fibers", driver, where);
    driver.interleaving = Interleaving::gates;
    row("memory, threads", driver, where);
  }
  if (is_asked_for("sqlite")) row("sqlite, threads", driver_named("sqlite"), where);
  for (const char* name : {"redis", "postgres"})
    if (is_asked_for(name)) stored(name, where);
  if (is_asked_for("leases")) virtual_time(seconds);
  return std::system(("rm -rf " + scratch).c_str());
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  return assay::bench(argc > 1 ? std::atof(argv[1]) : 3, argc > 2 ? argv[2] : "");
}
