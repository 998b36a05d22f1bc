#include "tests/properties/cases.h"

namespace assay::told {

static void shortened(Response& r) { std::get<Extended>(r).expires_at -= 1s; }

static const RuleCases cases[] = {
    {"HB-2", "reference", [](Told& h) { h.held("a").advance(20s); },
     [](Told& h) { h.extend("a").ok().extend("a", {}, 1s).ok().get("a").shows(); },
     [](Told& h) { h.extend("a").ok(shortened); },
     [](Told& h) { h.extend("a").ok(shortened).hide(); }},
    {"HB-4", "reference", [](Told& h) { h.held("a").advance(20s); },
     [](Told& h) { h.extend("a").ok().advance(20s).reserve().nothing(); },
     [](Told& h) { h.extend("a").ok().advance(20s).claim("a"); },
     [](Told& h) { h.extend("a").unknown().advance(20s).claim("a"); }},
    {"HB-5", "reference", [](Told& h) { h.held("a").advance(20s); },
     [](Told& h) { h.extend("a").ok().advance(30s).claim("a"); },
     [](Told& h) { h.extend("a").ok().advance(30s).reserve().nothing(); },
     [](Told& h) {
       h.extend("a").ok().extend("a", {}, 1h).unknown().advance(30s).reserve().nothing();
     }},
};

Cases heartbeat_cases() { return cases; }

}  // namespace assay::told
