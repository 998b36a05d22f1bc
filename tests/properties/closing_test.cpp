#include "tests/properties/cases.h"

namespace assay::told {

static const RuleCases cases[] = {
    {"XCLOSE-1", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.close().ok().close().ok().get("a").refused(closed).as(1).claim("a"); },
     [](Told& h) { h.close().ok().get("a").shows(); },
     [](Told& h) { h.close().unknown().get("a").shows(); }},
};

Cases closing_cases() { return cases; }

}  // namespace assay::told
