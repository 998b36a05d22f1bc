#include "tests/properties/cases.h"

namespace assay::told {

static const RuleCases cases[] = {
    {"ORDER-2", "reference", nullptr,
     [](Told& h) { h.enqueue("a").ok().enqueue("b").ok().claim("a").claim("b"); },
     [](Told& h) { h.enqueue("a").ok().enqueue("b").ok().claim("b"); },
     [](Told& h) { h.enqueue("a").unknown().enqueue("b").ok().claim("b"); }},
};

Cases order_cases() { return cases; }

}  // namespace assay::told
