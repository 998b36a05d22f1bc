// Stores that are short of something and refuse what they are asked for: a refused call had no
// effect, and when they have it again, all goes on.
#include "harness/plan/account.h"
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

// Calls of all kinds meet the shortage; what they were about is settled when it is over.
Plan shortage(const Profile& profile, const char* name, const char* fault, bool dies = false) {
  PlanBuilder p(profile, name);
  const std::string queue = p.fresh_queue();
  const JobRef first = p.enqueue({.queue = queue, .limit = 9});
  const JobRef second = p.enqueue({.queue = queue, .limit = 9});
  const ClaimRef held = p.claim(p.w1, first, 10min);
  const int shortage = p.fault_of_all(fault);
  if (dies) p.end_fault(p.fault("kill_worker", p.w2));
  p.enqueue({.queue = queue, .limit = 9});
  p.reserve(p.w2, {.job = second});
  p.extend(p.w1, held, 20min);
  p.ack(p.w1, held);
  p.get(first);
  p.end_fault(shortage);
  p.ack(p.w1, held);
  const JobRef after = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  p.ack(p.w2, p.claim(p.w2, after));
  return with_account(p.build(), profile);
}

Plan connections(const Profile& profile) {
  return shortage(profile, "the_store_takes_no_more_connections", "out_of_connections");
}
Plan connections_of_newcomers(const Profile& profile) {
  return shortage(profile, "a_worker_comes_back_to_a_store_that_takes_no_connections",
                  "out_of_connections", true);
}
Plan writes(const Profile& profile) {
  return shortage(profile, "the_store_takes_no_writes", "read_only");
}
Plan writes_of_newcomers(const Profile& profile) {
  return shortage(profile, "a_worker_comes_back_to_a_store_that_takes_no_writes", "read_only",
                  true);
}
Plan memory(const Profile& profile) {
  return shortage(profile, "the_store_is_out_of_memory", "out_of_memory");
}
Plan room(const Profile& profile) {
  return shortage(profile, "the_store_has_no_room_on_its_disk", "full_disk");
}

}  // namespace

std::vector<Scenario> shortages() {
  constexpr Level durable = Level::durability;
  constexpr std::string_view shared = "shared_storage", crash = "durability=crash";
  return {
      {"the_store_takes_no_more_connections",
       "The store ends its clients' connections and takes no new ones; then it does again.",
       shared,
       {"ACK-1"},
       connections,
       durable},
      {"a_worker_comes_back_to_a_store_that_takes_no_connections",
       "A worker dies and comes back while the store takes no connections.",
       shared,
       {"ACK-1"},
       connections_of_newcomers,
       durable},
      {"the_store_takes_no_writes",
       "The store can only be read for a while; what it refuses has no effect.",
       shared,
       {"ACK-1"},
       writes,
       durable},
      {"a_worker_comes_back_to_a_store_that_takes_no_writes",
       "A worker dies and comes back while the store can only be read.",
       shared,
       {"ACK-1"},
       writes_of_newcomers,
       durable},
      {"the_store_is_out_of_memory",
       "The store gets no more memory for a while; what it refuses has no effect.",
       shared,
       {"ACK-1"},
       memory,
       durable},
      {"the_store_has_no_room_on_its_disk",
       "The store's disk is full for a while; what it acknowledges then is kept as well.",
       crash,
       {"ACK-1"},
       room,
       durable},
  };
}

}  // namespace assay::scenarios
