#include "tests/properties/cases.h"

namespace assay::told {

static void held_with_limit(Told& h, std::int64_t limit) {
  h.enqueue(NewJob{.id = "a", .queue = "q", .type = "t", .payload = "p", .max_attempts = limit})
      .ok();
  h.claim("a");
}

// In its last run: one retry was allowed, and used.
static void last_run(Told& h) { held_with_limit(h, 1), h.nack("a").waits(0ms).claim("a"); }

// Perhaps not: nobody knows whether the first failure was recorded.
static void perhaps_last_run(Told& h) {
  held_with_limit(h, 1), h.nack("a").unknown().advance(30s).claim("a");
}

static void counted_twice(JobView& v) { v.job.attempts = 2; }

static const RuleCases cases[] = {
    {"RETRY-1", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.retry("a", 0s, 1).ok().get("a").shows(); },
     [](Told& h) { h.retry("a", 0s, 1).ok().get("a").shows(counted_twice); },
     [](Told& h) { h.retry("a", 0s, 1).unknown().get("a").shows(); }},
    {"RETRY-2", "weave", [](Told& h) { h.held("a"); },
     [](Told& h) { h.nack("a").waits(100ms).get("a").shows(); },
     [](Told& h) { h.nack("a").waits(100ms).get("a").shows(counted_twice); },
     [](Told& h) { h.nack("a").unknown().get("a").shows(); }},
    {"RETRY-3", "weave", [](Told& h) { h.held("a"); }, [](Told& h) { h.nack("a").waits(100ms); },
     [](Told& h) {
       h.nack("a").answers(Nacked{done, {}});
     },
     [](Told& h) { h.nack("a").unknown(); }},
    {"RETRY-4", "weave", [](Told& h) { h.held("a"); },
     [](Told& h) { h.nack("a").waits(100ms).get("a").shows(); },
     [](Told& h) { h.nack("a").dies(); }, [](Told& h) { h.nack("a").unknown().get("a").shows(); }},
    {"RETRY-5", "weave", nullptr, [](Told& h) { last_run(h), h.nack("a").dies(); },
     [](Told& h) { last_run(h), h.nack("a").waits(100ms); },
     [](Told& h) { perhaps_last_run(h), h.nack("a").waits(100ms); }},
    {"RETRY-6", "weave", nullptr, [](Told& h) { last_run(h), h.nack("a").dies().get("a").shows(); },
     [](Told& h) { last_run(h), h.nack("a").waits(100ms); },
     [](Told& h) { perhaps_last_run(h), h.nack("a").waits(100ms); }},
    {"RETRY-7", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.retry("a", 10s, 1).ok().get("a").shows(); },
     [](Told& h) {
       h.retry("a", 10s, 1).ok().get("a").shows([](JobView& v) { *v.job.run_at += 1s; });
     },
     [](Told& h) { h.retry("a", 10s, 1).unknown().get("a").shows(); }},
    {"RETRY-8", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.retry("a", 0s, 1).ok().claim("a"); },
     [](Told& h) { h.retry("a", 0s, 1).ok().claim("a", [](Claim& c) { c.job.id = "z"; }); },
     [](Told& h) {
       h.enqueue(NewJob{.queue = "q", .type = "t", .payload = "p"}).unknown();
       h.retry("a", 0s, 1).ok().claim("a", [](Claim& c) { c.job.id = "z"; });
     }},
    {"RETRY-9", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.ack("a").ok().retry("a", 0s, 1).lost(not_held).get("a").shows(); },
     [](Told& h) { h.ack("a").ok().retry("a", 0s, 1).ok(); },
     [](Told& h) { h.ack("a").unknown().retry("a", 0s, 1).ok(); }},
    {"RETRY-11", "reference", [](Told& h) { h.retried("a", 10s); },
     [](Told& h) { h.retry("a", 10s, 1).ok().get("a").shows(); },
     [](Told& h) { h.retry("a", 10s, 1).ok().get("a").shows(counted_twice); },
     [](Told& h) { h.retry("a", 10s, 1).unknown().get("a").shows(); }},
    {"RETRY-13", "weave", [](Told& h) { h.held("a"); },
     [](Told& h) { h.nack("a", {}, true).dies().get("a").shows(); },
     [](Told& h) { h.nack("a", {}, true).waits(100ms); },
     [](Told& h) { h.nack("a", {}, true).unknown().get("a").shows(); }},
    {"RETRY-14", "reference", nullptr,
     [](Told& h) { held_with_limit(h, 2), h.advance(30s).claim("a"); },
     [](Told& h) { held_with_limit(h, 1), h.advance(30s).claim("a"); },
     [](Told& h) { held_with_limit(h, 1), h.retry("a", 0s, 0).unknown().advance(30s).claim("a"); }},
    {"DLQ-1", "weave", nullptr, [](Told& h) { last_run(h), h.nack("a").dies().get("a").shows(); },
     [](Told& h) {
       last_run(h), h.nack("a").dies().get("a").shows([](JobView& v) { v.job.state = ready; });
     },
     [](Told& h) { last_run(h), h.nack("a").unknown().get("a").shows(); }},
    {"POLICY-1", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.retry("a", 0s, 7).ok().get("a").shows(); },
     [](Told& h) {
       h.retry("a", 0s, 7).ok().get("a").shows([](JobView& v) { v.job.state = dead; });
     },
     [](Told& h) { h.retry("a", 0s, 7).unknown().get("a").shows(); }},
};

Cases retry_cases() { return cases; }

}  // namespace assay::told
