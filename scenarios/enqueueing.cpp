#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan round_trip(const Profile& profile) {
  PlanBuilder p(profile, "every_field_comes_back");
  const JobRef plain = p.enqueue();
  const JobRef full = p.enqueue({.queue = "other",
                                 .type = "send_mail",
                                 .id = "job-of-ours",
                                 .payload = text_payload("{\"to\": \"x\"}"),
                                 .limit = 7,
                                 .timeout = 1500ms});
  const JobRef counted = p.enqueue({.limit = 5, .attempts = 2});
  p.claim(p.w1, plain);
  const ClaimRef c = p.claim(p.w1, full);
  p.ack(p.w1, c);
  p.claim(p.w1, counted);
  return p.build();
}

Plan past_run_time(const Profile& profile) {
  PlanBuilder p(profile, "a_run_time_in_the_past_is_ready");
  const JobRef long_ago = p.enqueue({.when = from_now(-1h)});
  const JobRef now = p.enqueue({.queue = "r", .when = from_now(0ms)});
  const JobRef zero = p.enqueue({.queue = "s", .when = absolute(instant_from_ms(0))});
  for (const JobRef& job : {long_ago, now, zero}) p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

Plan far_future(const Profile& profile) {
  PlanBuilder p(profile, "the_year_9999_is_a_run_time");
  const JobRef far = p.enqueue({.when = absolute(end_of_time)});
  p.claim(p.w1, far);
  p.advance(24h * 365);
  p.claim(p.w1, far);
  return p.build();
}

Plan payloads(const Profile& profile) {
  PlanBuilder p(profile, "payloads_are_bytes");
  const PayloadSpec specs[] = {
      text_payload(""),
      text_payload(std::string("\0", 1)),
      text_payload("a\r\n\t\"\\'"),
      text_payload("\xff\xfe"),
      pattern_payload(257),
      pattern_payload(65'536),
  };
  for (const PayloadSpec& spec : specs) {
    const JobRef job = p.enqueue({.payload = spec});
    p.ack(p.w1, p.claim(p.w1, job));
  }
  return p.build();
}

Plan ten_mebibytes(const Profile& profile) {
  PlanBuilder p(profile, "a_payload_of_ten_mebibytes");
  const JobRef job = p.enqueue({.payload = pattern_payload(10'485'760)});
  p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

Plan same_id_again(const Profile& profile) {
  PlanBuilder p(profile, "an_id_is_taken_once");
  const JobRef first = p.enqueue({.id = "only-one", .payload = text_payload("first")});
  p.enqueue({.id = "only-one", .payload = text_payload("first")});
  p.enqueue({.id = "only-one", .payload = text_payload("second")});
  p.enqueue({.queue = "r", .id = "only-one", .payload = text_payload("first")});
  p.get(first);
  const ClaimRef c = p.claim(p.w1, first);
  p.enqueue({.id = "only-one", .payload = text_payload("first")});
  p.claim(p.w2, first);
  p.reserve(p.w2, {.queues = {"r"}, .job = first});
  p.ack(p.w1, c);
  p.enqueue({.id = "only-one", .payload = text_payload("third")});
  p.claim(p.w2, first);
  return p.build();
}

Plan generated_ids(const Profile& profile) {
  PlanBuilder p(profile, "jobs_without_an_id_are_different_jobs");
  JobRef jobs[3];
  for (JobRef& job : jobs) job = p.enqueue();
  for (const JobRef& job : jobs) p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

Plan no_limit(const Profile& profile) {
  PlanBuilder p(profile, "limit_zero_and_no_limit_are_accepted");
  const JobRef none = p.enqueue();
  const JobRef zero = p.enqueue({.queue = "r", .limit = 0});
  p.ack(p.w1, p.claim(p.w1, none));
  p.ack(p.w1, p.claim(p.w1, zero));
  return p.build();
}

}  // namespace

std::vector<Scenario> enqueueing() {
  return {
      {"every_field_comes_back",
       "What a producer hands in is what a worker and an inspector see.",
       "",
       {"ENQ-1", "ENQ-2", "ENQ-4", "ENQ-6", "ADMIN-1", "STATE-1"},
       round_trip},
      {"a_run_time_in_the_past_is_ready",
       "A job whose run time is past, now or zero can be claimed at once.",
       "schedule_at_enqueue",
       {"ENQ-2"},
       past_run_time},
      {"the_year_9999_is_a_run_time",
       "The last instant that the contract speaks of is kept and waited for.",
       "schedule_at_enqueue",
       {"ENQ-2", "ENQ-6", "SCHED-1"},
       far_future},
      {"payloads_are_bytes",
       "Empty, NUL, invalid UTF-8 and every byte value come back as they were.",
       "",
       {"ENQ-6"},
       payloads},
      {"a_payload_of_ten_mebibytes",
       "A large payload comes back whole.",
       "",
       {"ENQ-6"},
       ten_mebibytes},
      {"an_id_is_taken_once",
       "The same id again: the same content is the same job, other content is refused.",
       "dup_id=reject",
       {"ENQ-3", "AVAIL-2"},
       same_id_again},
      {"jobs_without_an_id_are_different_jobs",
       "Three equal jobs without ids are three jobs.",
       "",
       {"ENQ-1", "ENQ-4", "ACK-1"},
       generated_ids},
      {"limit_zero_and_no_limit_are_accepted",
       "A job without a limit, or with a limit of zero, runs under the default.",
       "",
       {"ENQ-6"},
       no_limit},
  };
}

}  // namespace assay::scenarios
