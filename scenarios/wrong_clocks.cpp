// Clients whose clocks are wrong, where calls bring their own clock: leases and run times follow
// the caller, fencing follows nobody.
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

// Its clock says that the lease is over; the holder's does not.
Plan runs_ahead(const Profile& profile) {
  PlanBuilder p(profile, "a_clock_runs_ahead_on_one_worker");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10s);
  const int skew = p.fault("skew_clock", p.w2, {{"offset_ms", 60'000}});
  const ClaimRef heir = p.claim(p.w2, job, 10s);
  p.ack(p.w1, held);
  p.ack(p.w2, heir);
  p.end_fault(skew);
  return p.build();
}

Plan runs_behind(const Profile& profile) {
  PlanBuilder p(profile, "a_clock_runs_behind_on_one_worker");
  p.advance(1min);
  const JobRef job = p.enqueue({.limit = 9});
  const int skew = p.fault("skew_clock", p.w2, {{"offset_ms", -30'000}});
  p.reserve(p.w2, {.job = job});
  p.end_fault(skew);
  p.ack(p.w2, p.claim(p.w2, job));
  return p.build();
}

Plan drifts(const Profile& profile) {
  PlanBuilder p(profile, "a_clock_drifts_on_one_worker");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10s);
  const int skew = p.fault("skew_clock", p.w1, {{"offset_ms", 1}, {"drift_ppm", 500'000}});
  p.advance(4s);
  p.extend(p.w1, held, 10s);
  p.advance(4s);
  p.extend(p.w1, held, 10s);
  p.ack(p.w1, held);
  p.end_fault(skew);
  return p.build();
}

Plan steps_back(const Profile& profile) {
  PlanBuilder p(profile, "a_clock_steps_back_between_claim_and_ack");
  p.advance(5min);
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10s);
  const int skew = p.fault("skew_clock", p.w1, {{"offset_ms", -120'000}});
  p.ack(p.w1, held);
  p.end_fault(skew);
  return p.build();
}

Plan producer_ahead(const Profile& profile) {
  PlanBuilder p(profile, "a_producer_lives_in_the_future");
  const int skew = p.fault("skew_clock", p.producer, {{"offset_ms", 90'000}});
  const JobRef job = p.enqueue({.limit = 9});
  p.end_fault(skew);
  p.reserve(p.w1, {.job = job});
  p.advance(2min);
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

// Whatever the clock of its machine says: leases are judged by the store's clock, or by that of the
// calls.
Plan wrong_machine(const Profile& profile) {
  PlanBuilder p(profile, "a_worker_s_machine_has_a_wrong_clock");
  const JobRef held_job = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  const JobRef other = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  const ClaimRef held = p.claim(p.w1, held_job, 10min);
  for (const std::int64_t offset : {3'600'000, -3'600'000}) {
    const int wrong = p.fault("wrong_machine_clock", p.w2, {{"offset_ms", offset}});
    p.reserve(p.w2, {.job = held_job});
    const ClaimRef mine = p.claim(p.w2, other, 10min);
    p.extend(p.w2, mine, 10min);
    p.record_failure(p.w2, mine, {.delay = Duration{0}});
    p.advance(profile.backoff.cap + 2s);
    p.end_fault(wrong);
  }
  p.ack(p.w1, held);
  return p.build();
}

// A lease is not over sooner because the store's clock was put back, nor is its token another.
Plan store_steps_back(const Profile& profile) {
  PlanBuilder p(profile, "the_store_s_clock_steps_back");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef held = p.claim(p.w1, job, 10min);
  p.advance(5min);
  const int step = p.fault_of_all("step_store_clock", {{"by_ms", -3'600'000}});
  p.reserve(p.w2, {.job = job});
  p.extend(p.w1, held, 10min);
  p.advance(9min);
  p.reserve(p.w2, {.job = job});
  p.ack(p.w1, held);
  p.end_fault(step);
  return p.build();
}

// By the store's clock the lease is over at once: the next one gets the job, and keeps it when the
// clock is put right again.
Plan store_steps_forward(const Profile& profile) {
  PlanBuilder p(profile, "the_store_s_clock_steps_forward");
  const JobRef job = p.enqueue({.limit = 9});
  const ClaimRef old = p.claim(p.w1, job, 1min);
  const int step = p.fault_of_all("step_store_clock", {{"by_ms", 3'600'000}});
  p.reserve(p.w2, {.job = job});
  p.advance(profile.backoff.cap + 1min);
  const ClaimRef young = p.claim(p.w2, job, 1min);
  p.ack(p.w1, old);
  p.end_fault(step);
  p.extend(p.w1, old, 1min);
  p.reserve(p.w1, {.job = job});
  p.ack(p.w2, young);
  return p.build();
}

Plan store_steps_under_a_retry(const Profile& profile) {
  PlanBuilder p(profile, "the_store_s_clock_steps_back_while_a_job_waits");
  const JobRef job = p.enqueue({.limit = 9});
  p.record_failure(p.w1, p.claim(p.w1, job, 1min), {.delay = 10min});
  p.advance(profile.backoff.cap + 11min);
  const int step = p.fault_of_all("step_store_clock", {{"by_ms", -86'400'000}});
  p.reserve(p.w1, {.job = job});
  p.end_fault(step);
  p.ack(p.w1, p.claim(p.w1, job, 1min));
  return p.build();
}

}  // namespace

std::vector<Scenario> wrong_clocks() {
  constexpr Level chaos = Level::chaos;
  constexpr std::string_view store = "virtual_time & clock=store | clock=mixed";
  constexpr std::string_view caller = "clock=caller";
  return {
      {"a_clock_runs_ahead_on_one_worker",
       "By one worker's clock the other one's lease is over; it takes the job, and fencing holds.",
       caller,
       {"FENCE-2"},
       runs_ahead,
       chaos},
      {"a_clock_runs_behind_on_one_worker",
       "By a worker's clock the job is not there yet; when it is right again, it gets it.",
       caller,
       {"ACK-1"},
       runs_behind,
       chaos},
      {"a_clock_drifts_on_one_worker",
       "A worker whose clock goes too fast keeps its lease.",
       caller,
       {"LEASE-5", "ACK-1"},
       drifts,
       chaos},
      {"a_clock_steps_back_between_claim_and_ack",
       "A worker's clock is put back while it holds a job; its ack counts.",
       caller,
       {"ACK-1"},
       steps_back,
       chaos},
      {"a_producer_lives_in_the_future",
       "A producer whose clock is ahead enqueues; the job is served when its time has come.",
       caller,
       {"ACK-1"},
       producer_ahead,
       chaos},
      {"a_worker_s_machine_has_a_wrong_clock",
       "A worker's process reads a clock that is an hour off; nobody's lease ends sooner or later.",
       "shared_storage",
       {"ACK-1", "LEASE-5"},
       wrong_machine,
       chaos},
      {"the_store_s_clock_steps_back",
       "The store's clock is put back by an hour while a job is held; nobody else gets it.",
       store,
       {"LEASE-2", "LEASE-5", "ACK-1"},
       store_steps_back,
       chaos},
      {"the_store_s_clock_steps_forward",
       "The store's clock jumps beyond a lease; the next one gets the job, and fencing holds.",
       store,
       {"FENCE-2", "ACK-1"},
       store_steps_forward,
       chaos},
      {"the_store_s_clock_steps_back_while_a_job_waits",
       "The store's clock is put back by a day when a retry is due; it waits, and comes.",
       store,
       {"SCHED-5", "ACK-1"},
       store_steps_under_a_retry,
       chaos},
  };
}

}  // namespace assay::scenarios
