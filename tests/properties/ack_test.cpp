#include "tests/properties/cases.h"

namespace assay::told {

static const RuleCases cases[] = {
    {"ACK-1", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.ack("a").ok().get("a").shows(); }, [](Told& h) { h.ack("a").lost(mismatch); },
     [](Told& h) { h.ack("a").unknown().get("a").shows(); }},
    {"ACK-2", "reference", [](Told& h) { h.done("a"); },
     [](Told& h) { h.ack("a").ok().get("a").shows(); }, [](Told& h) { h.ack("a").lost(not_held); },
     [](Told& h) { h.ack("a").unknown().get("a").shows(); }},
    {"ACK-3", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.ack("a").ok().advance(30s).reserve().nothing(); },
     [](Told& h) { h.ack("a").ok().advance(30s).claim("a"); },
     [](Told& h) { h.ack("a").unknown().advance(30s).claim("a"); }},
    {"ACK-5", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.ack("a").ok().get("a").shows(); },
     [](Told& h) {
       h.ack("a").ok().get("a").shows([](JobView& v) {
         v.lease = LeaseView{"a#1", run_epoch + lease_length, "w"};
       });
     },
     [](Told& h) { h.ack("a").unknown().get("a").shows(); }},
};

Cases ack_cases() { return cases; }

}  // namespace assay::told
