#include "tests/properties/cases.h"

namespace assay::told {

static void now_ready(JobView& view) {
  view.job.state = ready;
  view.lease.reset();
}
static void now_dead(JobView& view) {
  view.job.state = dead;
  view.lease.reset();
}

static const RuleCases cases[] = {
    {"DUR-1", "trace", [](Told& h) { h.enqueue("a").ok().store_goes().store_comes_back(); },
     [](Told& h) { h.claim("a").ack("a").ok(); }, [](Told& h) { h.get("a").refused(not_found); },
     [](Told& h) { h.get("a").unknown(); }},
    {"DUR-4", "trace",
     [](Told& h) { h.held("a").store_goes().ack("a").unknown().store_comes_back(); },
     [](Told& h) { h.get("a").shows(); }, [](Told& h) { h.get("a").shows(now_dead); },
     [](Told& h) { h.get("a").shows(now_dead).hide(); }},
    {"DUR-6", "trace", [](Told& h) { h.held("a").store_goes().store_comes_back(); },
     [](Told& h) { h.ack("a").ok(); }, [](Told& h) { h.get("a").shows(now_ready); },
     [](Told& h) { h.get("a").shows(now_ready).hide(); }},
    {"DUR-7", "reference", [](Told& h) { h.held("a").dies(0); },
     [](Told& h) { h.as(1).advance(30s).claim("a").ack("a").ok(); },
     [](Told& h) { h.as(1).advance(30s).reserve().nothing(); },
     [](Told& h) { h.as(1).pause().unknown().advance(30s).reserve().nothing(); }},
};

Cases durability_cases() { return cases; }

}  // namespace assay::told
