#include "tests/properties/cases.h"

namespace assay::told {

static const RuleCases cases[] = {
    {"CANCEL-1", "reference", [](Told& h) { h.held("a").enqueue("b").ok(); },
     [](Told& h) { h.cancel("a").ok().cancel("b").ok().get("b").shows(); },
     [](Told& h) { h.cancel("b").refused(conflict); },
     [](Told& h) { h.cancel("b").unknown().get("b").shows(); }},
    {"CANCEL-2", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.cancel("a").ok().reserve().nothing(); },
     [](Told& h) { h.cancel("a").ok().claim("a"); },
     [](Told& h) { h.cancel("a").unknown().claim("a"); }},
    {"CANCEL-3", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.ack("a").ok().cancel("a").refused(conflict).get("a").shows(); },
     [](Told& h) { h.ack("a").ok().cancel("a").answers(Cancelled{}); },
     [](Told& h) { h.ack("a").unknown().cancel("a").ok().get("a").shows(); }},
    {"CANCEL-4", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.cancel("a").ok().ack("a").lost(not_held).get("a").shows(); },
     [](Told& h) { h.cancel("a").ok().ack("a").ok(); },
     [](Told& h) { h.cancel("a").unknown().ack("a").ok(); }},
    {"XCANC-1", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.ack("a").ok().cancel("a").refused(conflict).get("a").shows(); },
     [](Told& h) {
       h.ack("a").ok().cancel("a").refused(conflict);
       h.get("a").shows([](JobView& v) { v.job.state = cancelled; });
     },
     [](Told& h) { h.ack("a").unknown().cancel("a").ok().get("a").shows(); }},
};

Cases cancel_cases() { return cases; }

}  // namespace assay::told
