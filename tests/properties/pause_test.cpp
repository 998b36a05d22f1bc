#include "tests/properties/cases.h"

namespace assay::told {

static const RuleCases cases[] = {
    {"PAUSE-1", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.pause().ok().reserve().nothing(); },
     [](Told& h) { h.pause().ok().claim("a"); }, [](Told& h) { h.pause().unknown().claim("a"); }},
    {"PAUSE-2", "reference", [](Told& h) { h.pause().ok(); },
     [](Told& h) { h.enqueue("a").ok().get("a").shows().resume().ok().claim("a"); },
     [](Told& h) { h.enqueue("a").ok().get("a").refused(not_found); },
     [](Told& h) { h.enqueue("a").unknown().get("a").refused(not_found); }},
    {"PAUSE-3", "reference", [](Told& h) { h.enqueue("a").ok().pause().ok(); },
     [](Told& h) { h.reserve().nothing().resume().ok().claim("a"); },
     [](Told& h) { h.resume().ok().reserve().nothing(); },
     [](Told& h) { h.resume().unknown().reserve().nothing(); }},
};

Cases pause_cases() { return cases; }

}  // namespace assay::told
