#include "harness/plan/hostile.h"

#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan hostile_queues(const Profile& profile) {
  PlanBuilder p(profile, "queues_with_hostile_names_are_kept_apart");
  std::vector<JobRef> jobs;
  for (const std::string_view name : hostile_names()) {
    jobs.push_back(
        p.enqueue({.queue = std::string(name), .payload = text_payload(std::string(name))}));
  }
  for (const std::string_view name : hostile_names()) {
    if (p.has("list_paged")) p.list(std::string(name));
  }
  for (const JobRef& job : jobs) p.ack(p.w1, p.claim(p.w1, job));
  return p.build();
}

Plan hostile_ids(const Profile& profile) {
  PlanBuilder p(profile, "ids_and_types_with_hostile_names_come_back");
  std::vector<JobRef> jobs;
  for (const std::string_view name : hostile_names()) {
    jobs.push_back(p.enqueue({.type = std::string(name), .id = std::string(name), .limit = 5}));
  }
  for (const JobRef& job : jobs) p.get(job);
  for (const JobRef& job : jobs) {
    p.dead_letter(p.w1, p.claim(p.w1, job), {.error = "' \" \\ \n % $1"});
  }
  if (p.has("dlq_ops")) p.dead("q");
  return p.build();
}

Plan hostile_keys(const Profile& profile) {
  PlanBuilder p(profile, "keys_with_hostile_names_are_kept_apart");
  for (const std::string_view name : hostile_names()) p.enqueue({.key = std::string(name)});
  for (const std::string_view name : hostile_names()) p.enqueue({.key = std::string(name)});
  return p.build();
}

Plan hostile_workers(const Profile& profile) {
  PlanBuilder p(profile, "workers_with_hostile_names_hold_leases");
  for (const std::string_view name : hostile_names()) {
    const int worker = p.client("w-" + std::string(name), Role::worker);
    const JobRef job = p.enqueue({.limit = 5});
    p.ack(worker, p.claim(worker, job));
  }
  return p.build();
}

Plan hostile_pauses(const Profile& profile) {
  PlanBuilder p(profile, "a_pause_of_a_hostile_name_pauses_that_queue");
  std::vector<JobRef> jobs;
  for (const std::string_view name : hostile_names()) {
    jobs.push_back(p.enqueue({.queue = std::string(name)}));
  }
  for (std::size_t i = 0; i < jobs.size(); i += 2) p.pause(std::string(hostile_names()[i]));
  for (const JobRef& job : jobs) p.claim(p.w1, job, 1h);
  for (std::size_t i = 0; i < jobs.size(); i += 2) p.resume(std::string(hostile_names()[i]));
  for (const JobRef& job : jobs) p.claim(p.w2, job, 1h);
  return p.build();
}

}  // namespace

std::vector<Scenario> hostile() {
  return {
      {"queues_with_hostile_names_are_kept_apart",
       "Quotes, blanks, wildcards and look-alikes in queue names.",
       "",
       {"CLAIM-6", "ENQ-6"},
       hostile_queues},
      {"ids_and_types_with_hostile_names_come_back",
       "Quotes, blanks, wildcards and look-alikes in ids, types and errors.",
       "",
       {"ENQ-6", "ADMIN-1", "DLQ-3"},
       hostile_ids},
      {"keys_with_hostile_names_are_kept_apart",
       "Quotes, blanks, wildcards and look-alikes in keys.",
       "idem!=none",
       {"IDEMP-2", "XIDEMP-1"},
       hostile_keys},
      {"workers_with_hostile_names_hold_leases",
       "Quotes, blanks, wildcards and look-alikes in workers' names.",
       "",
       {"LEASE-11", "ACK-1"},
       hostile_workers},
      {"a_pause_of_a_hostile_name_pauses_that_queue",
       "A pause matches one queue, whatever its name looks like.",
       "pause",
       {"PAUSE-1", "PAUSE-3"},
       hostile_pauses},
  };
}

}  // namespace assay::scenarios
