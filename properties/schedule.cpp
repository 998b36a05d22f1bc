// schedule: not before its time, and some time after it.
#include <fmt/format.h>

#include "properties/detail/reserves.h"
#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

static bool after_failure(const JobFacts& job) {
  return job.cause == Cause::failure || job.cause == Cause::expiry;
}

static bool was_put_off(const JobFacts& job) {
  return job.given.run_at ? job.not_before > job.created.hi : job.cause != Cause::fresh;
}

static std::string not_found_though_due(const Moment& m, const JobFacts& job) {
  return fmt::format("{} is due since {} (by {}), but this claim at {} found nothing.",
                     words::job(job), words::at(m, job.not_before), words::op(job.changed_at),
                     words::at(m, m.now));
}

static void missed(const Moment& m, const JobFacts& job, Verdicts& v) {
  if (job.phase != Phase::waiting) return;
  if (job.cause == Cause::fresh && job.given.run_at)
    v.convict("SCHED-2", &job, {job.changed_at}, not_found_though_due(m, job));
  if (after_failure(job))
    v.convict("SCHED-6", &job, {job.changed_at}, not_found_though_due(m, job));
  if (m.now == job.not_before && was_put_off(job))
    v.convict("XSCHED-1", &job, {job.changed_at}, not_found_though_due(m, job));
}

static void operation(const Moment& m, Verdicts& v) {
  const auto* request = m.request<Reserve>();
  if (!m.plain || !request) return;
  if (const JobFacts* job = tempting_future(m, *request))
    v.triggered(after_failure(*job) ? "SCHED-5" : "SCHED-1");
  if (due_in(m, *request, m.profile.time_resolution)) v.triggered("XSCHED-1");
  if (m.missed) missed(m, *m.missed, v);
}

static void delivery(const Moment& m, const Delivery& d, Verdicts& v) {
  const JobFacts& job = d.job;
  if (job.phase != Phase::waiting) return;
  auto early = [&] {
    return fmt::format("{} may not run before {} (by {}), but was handed out at {}.",
                       words::job(job), words::at(m, job.not_before), words::op(job.changed_at),
                       words::at(m, m.now));
  };
  if (m.now < job.not_before) {
    v.convict(after_failure(job) ? "SCHED-5" : "SCHED-1", &job, {job.changed_at}, early());
    if (job.not_before - m.now <= m.profile.time_resolution)
      v.convict("XSCHED-1", &job, {job.changed_at}, early());
    return;
  }
  if (job.cause == Cause::fresh && was_put_off(job)) v.triggered("SCHED-2");
  if (after_failure(job) && m.facts.surely_runnable(job, m.now)) v.triggered("SCHED-6");
  if (m.now == job.not_before && was_put_off(job)) v.triggered("XSCHED-1");
}

static void sighting(const Moment& m, const Sighting& s, Verdicts& v) {
  if (s.job.phase != Phase::waiting) return;
  bool by_time = s.shown.state == JobState::scheduled || s.shown.state == JobState::ready;
  v.expect("SCHED-4", s.as_expected() || !by_time, s.job, {s.job.changed_at}, [&] {
    return fmt::format("{} may run from {} on; at {} it is shown as {}.", words::job(s.job),
                       words::at(m, s.job.not_before), words::at(m, m.now),
                       words::state(s.shown.state));
  });
}

static constexpr std::string_view rules[] = {"SCHED-1", "SCHED-2", "SCHED-4",
                                             "SCHED-5", "SCHED-6", "XSCHED-1"};

Property schedule() {
  return {"schedule", rules, operation, nullptr, delivery, sighting, calls_of<Reserve>};
}

}  // namespace assay::properties
