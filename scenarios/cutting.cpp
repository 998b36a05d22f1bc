// Clients that are cut off: each operation is made once, so that it can be cut at each of its round
// trips.
#include "harness/plan/build.h"
#include "scenarios/all.h"

namespace assay::scenarios {
namespace {

using namespace std::chrono_literals;

Plan every_operation(const Profile& profile) {
  PlanBuilder p(profile, "every_operation_is_made_once");
  JobArgs keyed{.queue = p.fresh_queue(), .limit = 9};
  if (profile.idem != Idem::none) keyed.key = "key";
  const JobRef done = p.enqueue(keyed);
  const ClaimRef held = p.claim(p.w1, done, 10s);
  p.extend(p.w1, held, 20s);
  p.ack(p.w1, held);

  const JobRef failing = p.enqueue({.queue = p.fresh_queue(), .limit = 9});
  p.record_failure(p.w1, p.claim(p.w1, failing, 10s));
  p.advance(profile.backoff.cap + 11s);
  p.dead_letter(p.w2, p.claim(p.w2, failing, 10s));
  if (p.has("dlq_ops")) p.requeue(failing, true);

  const JobRef unwanted = p.enqueue({.queue = p.fresh_queue()});
  if (p.has("cancel")) p.cancel(unwanted);
  return p.build();
}

}  // namespace

std::vector<Scenario> cutting() {
  return {{"every_operation_is_made_once",
           "Each operation once; its client is cut off at each of its round trips in turn.",
           "",
           {"ACK-1"},
           every_operation,
           Level::chaos,
           true}};
}

}  // namespace assay::scenarios
