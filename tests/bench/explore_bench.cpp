// How many schedules a second are run and judged: three clients, one job, a claim and a settle
// each.
//
//   explore_bench [seconds] [memory|sqlite|redis|postgres|leases]
//
// On memory by fibers and by threads, on sqlite by threads, on Redis and Postgres at each round
// trip to a server that is started for it; and how fast virtual time is, in leases that end one
// after the other.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>

#include "drivers/all.h"
#include "drivers/sqlite/sqlite.h"
#include "harness/backend/backend.h"
#include "harness/contract/check.h"
#include "harness/contract/clock.h"
#include "harness/judge/judge.h"
#include "harness/plan/build.h"
#include "harness/run/run.h"
#include "properties/all.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

const DriverInfo& driver_named(std::string_view name) {
  for (const DriverInfo& info : all_drivers())
    if (info.name == name) return info;
  CHECK(!"a driver of that name");
  return all_drivers().front();
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

struct Subject {
  std::string name;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Carrier> carrier;
  StoreGates* store = nullptr;  // that is the carrier
  VirtualClock clock;
  std::unique_ptr<Driver> driver;
  Interleaving interleaving;

  // On a server of its own.
  Subject(std::string_view called, std::unique_ptr<Backend> server, const std::string& scratch)
      : name(called), backend(std::move(server)), interleaving(Interleaving::trips) {
    auto gates = store_gates(backend->url());
    CHECK(gates.ok());
    store = gates->get();
    carrier = std::move(*gates);
    auto made = driver_named(called).make(
        {*built_in_profile("reference"), clock, 1, backend->url(), scratch});
    CHECK(made.ok());
    driver = std::move(*made);
  }

  Subject(std::string_view called, std::unique_ptr<Carrier> on, const std::string& scratch)
      : name(called), carrier(std::move(on)), interleaving(driver_named(called).interleaving) {
    auto made = driver_named(called).make(
        {*built_in_profile("reference"), clock, 1, std::nullopt, scratch, "", &carrier->gates()});
    CHECK(made.ok());
    driver = std::move(*made);
  }
};

// Runs a second.
double rate(Subject& subject, Plan plan, double seconds, double* simulated = nullptr) {
  Judge judge(subject.driver->profile(), all_properties());
  std::uint64_t runs = 0;
  const Stopwatch watch;
  while (watch.seconds() < seconds) {
    if (is_free(plan))
      plan.schedule = {.kind = runs % 2 == 0 ? Schedule::Kind::random_walk : Schedule::Kind::pct,
                       .seed = runs,
                       .moves = 16};
    const RunResult ran =
        run(plan, *subject.driver, subject.name,
            {subject.carrier.get(), subject.interleaving, nullptr, {}, subject.store});
    CHECK(!ran.trouble && !ran.lost_sight);
    CHECK(judge.judge(ran.history).findings.empty());
    if (simulated)
      for (const Event& event : ran.history.events)
        if (const auto* moved = std::get_if<ClockEvent>(&event))
          *simulated = static_cast<double>(to_ms(moved->now) - to_ms(run_epoch)) / 1000;
    ++runs;
  }
  return static_cast<double>(runs) / watch.seconds();
}

int bench(double seconds, const std::string& only) {
  const auto is_asked_for = [&](std::string_view name) { return name.starts_with(only); };
  // In memory, as the program does: a throwaway store need not wait for a disk.
  std::string scratch = "/dev/shm/explore_bench-XXXXXX";
  CHECK(mkdtemp(scratch.data()));
  CHECK(chmod(scratch.c_str(), 0755) == 0);  // servers run under accounts of their own
  {
    Subject fibers("memory", fiber_carrier(), scratch),
        threads("memory", thread_carrier(), scratch), sqlite("sqlite", thread_carrier(), scratch);
    const Plan plan = claim_and_settle(*built_in_profile("reference"));
    fmt::print("{:<18} {:>12}\n", "three clients", "schedules/s");
    const std::pair<const char*, Subject*> in_process[] = {
        {"memory, fibers", &fibers}, {"memory, threads", &threads}, {"sqlite, threads", &sqlite}};
    for (const auto& [name, subject] : in_process)
      if (is_asked_for(name)) fmt::print("{:<18} {:>12.0f}\n", name, rate(*subject, plan, seconds));
    for (const char* name : {"redis", "postgres"}) {
      if (!is_asked_for(name)) continue;
      auto server = start_backend(name, {.scratch = scratch});
      if (!server.ok()) {
        fmt::print("{:<18} {:>12}  {}\n", name, "skipped", server.error().message);
        continue;
      }
      Subject stored(name, std::move(*server), scratch);
      rate(stored, plan, 0.5);  // its connections are made, its statements prepared
      fmt::print("{:<18} {:>12.0f}\n", std::string(name) + ", trips", rate(stored, plan, seconds));
    }
    if (is_asked_for("leases")) {
      double simulated = 0;
      const double runs = rate(fibers, leases(*built_in_profile("reference")), seconds, &simulated);
      fmt::print("\nleases in virtual time: {:.0f} simulated seconds a second\n", runs * simulated);
    }
  }
  std::system(("rm -rf " + scratch).c_str());
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  return assay::bench(argc > 1 ? std::atof(argv[1]) : 3, argc > 2 ? argv[2] : "");
}
