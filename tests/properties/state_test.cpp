#include "tests/properties/cases.h"

namespace assay::told {

static const RuleCases cases[] = {
    {"STATE-1", "taskharbor", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.get("a").shows(); },
     [](Told& h) { h.get("a").shows([](JobView& v) { v.job.state = cancelled; }); },
     [](Told& h) { h.get("a").unknown(); }},
    {"STATE-2", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.get("a").shows().claim("a").get("a").shows(); },
     [](Told& h) { h.get("a").shows([](JobView& v) {
                     v.dead = DeadView{"r", "e", run_epoch};
                   }); },
     [](Told& h) { h.claim("a").fail("a", 1).ok().hide().get("a").shows(); }},
    {"STATE-3", "reference", [](Told& h) { h.enqueue("a").ok().get("a").shows().claim("a"); },
     [](Told& h) { h.get("a").shows(); },
     [](Told& h) { h.get("a").shows([](JobView& v) { v.job.state = done, v.lease.reset(); }); },
     [](Told& h) { h.ack("a").ok().hide().get("a").shows(); }},
    {"STATE-4", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.ack("a").ok().advance(1h).get("a").shows(); },
     [](Told& h) {
       h.ack("a").ok().advance(1h).get("a").shows([](JobView& v) { v.job.state = ready; });
     },
     [](Told& h) { h.ack("a").unknown().advance(1h).get("a").shows(); }},
};

Cases state_cases() { return cases; }

}  // namespace assay::told
