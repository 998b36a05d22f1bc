#include "tests/properties/cases.h"

namespace assay::told {

static const RuleCases cases[] = {
    {"SCHED-1", "reference", nullptr, [](Told& h) { h.enqueue("a", 10s).ok().reserve().nothing(); },
     [](Told& h) { h.enqueue("a", 10s).ok().claim("a"); },
     [](Told& h) { h.buried("a").requeue("a").unknown().claim("a"); }},
    {"SCHED-2", "reference", nullptr,
     [](Told& h) { h.enqueue("a", 10s).ok().advance(1h).claim("a"); },
     [](Told& h) { h.enqueue("a", 10s).ok().advance(1h).reserve().nothing(); },
     [](Told& h) { h.enqueue("a", 10s).unknown().advance(1h).reserve().nothing(); }},
    {"SCHED-4", "reference", [](Told& h) { h.enqueue("a", 10s).ok().advance(10s); },
     [](Told& h) { h.get("a").shows(); },
     [](Told& h) { h.get("a").shows([](JobView& v) { v.job.state = scheduled; }); },
     [](Told& h) { h.claim("a").retry("a", 1h, 1).ok().hide().get("a").shows(); }},
    {"SCHED-5", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.retry("a", 1h, 1).ok().advance(30s).reserve().nothing(); },
     [](Told& h) { h.retry("a", 1h, 1).ok().advance(30s).claim("a"); },
     [](Told& h) { h.retry("a", 1h, 1).unknown().advance(30s).claim("a"); }},
    {"SCHED-6", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.retry("a", 10s, 1).ok().advance(10s).claim("a"); },
     [](Told& h) { h.retry("a", 10s, 1).ok().advance(10s).reserve().nothing(); },
     [](Told& h) { h.retry("a", 10s, 1).unknown().advance(10s).reserve().nothing(); }},
    {"XSCHED-1", "reference", [](Told& h) { h.enqueue("a", 10s).ok(); },
     [](Told& h) { h.advance(9'999ms).reserve().nothing().advance(1ms).claim("a"); },
     [](Told& h) { h.advance(10s).reserve().nothing(); },
     [](Told& h) { h.cancel("a").unknown().advance(10s).reserve().nothing(); }},
};

Cases schedule_cases() { return cases; }

}  // namespace assay::told
