// order: first deliveries follow the order of enqueueing, where the profile says fifo.
#include <fmt/format.h>

#include <set>

#include "properties/detail/words.h"
#include "properties/families.h"

namespace assay::properties {

// Asserted on first claims alone, of equal priority, of jobs that were never put off.
static void operation(const Moment& m, Verdicts& v) {
  const auto* answer = m.answer<Claims>();
  if (!m.plain || !answer || !m.alone) return;
  // Which of two jobs is the earlier one depends on whose clock is asked.
  if (m.facts.clocks_differ()) return;
  std::set<JobIndex> batch;
  for (const Claim& claim : answer->claims)
    if (const JobFacts* job = m.facts.find(claim.job.id)) batch.insert(job->index);
  for (JobIndex index : batch) {
    const JobFacts& job = m.facts.job(index);
    if (job.spoiled || job.delayed || job.phase != Phase::waiting) continue;
    const auto& orders = m.facts.queue_of(job).in_order;
    auto order = orders.find(job.given.priority.value_or(0));
    if (order == orders.end() || order->second.size() < 2) continue;
    v.triggered("ORDER-2");
    // A batch has no order inside: only one that was passed over counts.
    auto first = order->second.begin();
    // One that need not be visible yet was not passed over either.
    // One that was enqueued at the same time may have come after it.
    auto excused = [&](JobIndex earlier) {
      const JobFacts& passed = m.facts.job(earlier);
      return batch.contains(earlier) || !m.facts.surely_runnable(passed, m.now) ||
             passed.born_ended > job.born_began;
    };
    while (first != order->second.end() && *first < index && excused(*first)) ++first;
    if (first == order->second.end() || *first >= index) continue;
    const JobFacts& passed = m.facts.job(*first);
    v.convict("ORDER-2", &job, {passed.born, job.born},
              fmt::format("{} ({}) was enqueued before {} ({}), both to run at once, but the later "
                          "one was handed out first.",
                          words::job(passed), words::op(passed.born), words::job(job),
                          words::op(job.born)));
  }
}

static constexpr std::string_view rules[] = {"ORDER-2"};

Property order() {
  return {"order", rules, operation, nullptr, nullptr, nullptr, calls_of<Reserve>};
}

}  // namespace assay::properties
