#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

// Fails the job until its limit is used, each time after its retry time.
void fail_until_dead(PlanBuilder& p, const JobRef& job, std::int64_t runs) {
  for (std::int64_t run = 1; run <= runs; ++run) {
    const ClaimRef c = p.claim(run % 2 == 0 ? p.w2 : p.w1, job);
    if (run == runs && p.profile().decider == Decider::engine) {
      p.dead_letter(p.w1, c, {.error = "last straw"});
    } else {
      p.record_failure(p.w1, c, {.delay = 5s, .error = "failure " + std::to_string(run)});
      p.advance_to_due(job);
    }
  }
}

Plan counter_is_stored(const Profile& profile) {
  PlanBuilder p(profile, "the_counter_and_time_of_a_retry_are_stored");
  const JobRef job = p.enqueue({.limit = 50});
  p.record_failure(p.w1, p.claim(p.w1, job), {.delay = 3s, .error = "first"});
  p.advance_to_due(job);
  p.record_failure(p.w1, p.claim(p.w1, job), {.delay = 0ms, .error = ""});
  p.record_failure(p.w2, p.claim(p.w2, job), {.delay = 24h * 365, .attempts = 40});
  p.advance_to_due(job);
  p.record_failure(p.w2, p.claim(p.w2, job), {.delay = 1ms, .attempts = 7});
  p.advance_to_due(job);
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

Plan driver_has_no_policy(const Profile& profile) {
  PlanBuilder p(profile, "the_driver_does_not_count_for_the_engine");
  const JobRef job = p.enqueue({.limit = 1});
  for (int i = 0; i < 3; ++i) {
    p.record_failure(p.w1, p.claim(p.w1, job), {.delay = 1s});
    p.advance_to_due(job);
  }
  p.ack(p.w1, p.claim(p.w1, job));
  const JobRef fresh = p.enqueue({.limit = 100});
  p.dead_letter(p.w1, p.claim(p.w1, fresh), {.attempts = 1});
  return p.build();
}

Plan budget(const Profile& profile) {
  PlanBuilder p(profile, "the_last_allowed_failure_is_terminal");
  for (const std::int64_t limit : {1, 2, 3}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = limit});
    fail_until_dead(p, job, p.runs(limit));
    p.advance(24h);
    p.claim(p.w1, job);
  }
  return p.build();
}

Plan default_budget(const Profile& profile) {
  PlanBuilder p(profile, "a_job_without_a_limit_has_the_default");
  for (const std::optional<std::int64_t> limit : {std::optional<std::int64_t>{}, {0}}) {
    const JobRef job = p.enqueue({.queue = p.fresh_queue(), .limit = limit});
    fail_until_dead(p, job, p.runs(limit));
    p.advance(24h);
    p.claim(p.w1, job);
  }
  return p.build();
}

Plan spent_before(const Profile& profile) {
  PlanBuilder p(profile, "a_success_after_failures_is_a_success");
  const JobRef job = p.enqueue({.limit = 3});
  for (std::int64_t run = 1; run < p.runs(3); ++run) {
    p.record_failure(p.w1, p.claim(p.w1, job), {.delay = 5s});
    p.advance_to_due(job);
  }
  p.ack(p.w2, p.claim(p.w2, job));
  p.advance(24h);
  p.claim(p.w1, job);
  return p.build();
}

Plan unrecoverable(const Profile& profile) {
  PlanBuilder p(profile, "an_unrecoverable_error_is_terminal_at_once");
  const JobRef first = p.enqueue({.limit = 10});
  p.dead_letter(p.w1, p.claim(p.w1, first), {.error = "no such account"});
  const JobRef later = p.enqueue({.limit = 10});
  p.record_failure(p.w1, p.claim(p.w1, later));
  p.advance_to_due(later);
  p.dead_letter(p.w1, p.claim(p.w1, later), {.error = "no such account"});
  p.advance(24h);
  p.claim(p.w1, first);
  p.claim(p.w1, later);
  return p.build();
}

Plan backoff_spreads(const Profile& profile) {
  PlanBuilder p(profile, "equal_failures_are_spread");
  for (int i = 0; i < 40; ++i) {
    const JobRef job = p.enqueue({.limit = 5});
    p.record_failure(p.w1, p.claim(p.w1, job));
  }
  return p.build();
}

Plan backoff_grows(const Profile& profile) {
  PlanBuilder p(profile, "each_delay_is_within_its_window");
  const JobRef job = p.enqueue({.limit = 14});
  for (int i = 0; i < 12; ++i) {
    p.record_failure(p.w1, p.claim(p.w1, job));
    p.advance_to_due(job);
  }
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

Plan errors_are_kept(const Profile& profile) {
  PlanBuilder p(profile, "the_last_error_is_kept");
  const JobRef job = p.enqueue({.limit = 20});
  for (const char* error : {"plain", "", "quote ' \" \\", "\xc3\xa9\xf0\x9f\x90\x99", "a\nb"}) {
    p.record_failure(p.w1, p.claim(p.w1, job), {.delay = 1s, .error = error});
    p.advance_to_due(job);
  }
  p.record_failure(p.w1, p.claim(p.w1, job), {.error = std::string(5'000, 'x')});
  p.advance_to_due(job);
  p.dead_letter(p.w1, p.claim(p.w1, job), {.error = "the end"});
  return p.build();
}

}  // namespace

std::vector<Scenario> failing() {
  return {
      {"the_counter_and_time_of_a_retry_are_stored",
       "The driver keeps the counter and the retry time that the engine hands it.",
       "decider=engine",
       {"RETRY-1", "RETRY-7", "RETRY-8"},
       counter_is_stored},
      {"the_driver_does_not_count_for_the_engine",
       "Retries above the limit and a dead letter below it are the engine's choice.",
       "decider=engine",
       {"POLICY-1", "RETRY-7", "DLQ-2"},
       driver_has_no_policy},
      {"the_last_allowed_failure_is_terminal",
       "Limits of one, two and three are used up exactly.",
       "",
       {"RETRY-2", "RETRY-3", "RETRY-4", "RETRY-5", "RETRY-6", "DLQ-1", "DLQ-4", "DLQ-10"},
       budget},
      {"a_job_without_a_limit_has_the_default",
       "No limit and a limit of zero mean the default, exactly.",
       "",
       {"RETRY-5", "RETRY-6", "DLQ-1"},
       default_budget},
      {"a_success_after_failures_is_a_success",
       "One failure fewer than the limit allows, then an ack.",
       "",
       {"ACK-1", "ACK-3"},
       spent_before},
      {"an_unrecoverable_error_is_terminal_at_once",
       "An error marked unrecoverable ends the job whatever its budget.",
       "",
       {"RETRY-13", "DLQ-2", "DLQ-3", "DLQ-4"},
       unrecoverable},
      {"equal_failures_are_spread",
       "Forty jobs that fail once each do not all wait equally long.",
       "decider=store",
       {"BACK-2", "BACK-4", "BACK-5", "RETRY-4"},
       backoff_spreads},
      {"each_delay_is_within_its_window",
       "The n-th failure waits at most base times 2^(n-1), and never more than the cap.",
       "decider=store",
       {"BACK-2", "BACK-4", "RETRY-2"},
       backoff_grows},
      {"the_last_error_is_kept",
       "Errors with quotes, line ends, other scripts and of some length come back.",
       "",
       {"DLQ-3"},
       errors_are_kept},
  };
}

}  // namespace assay::scenarios
