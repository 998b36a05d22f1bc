#include "tests/properties/cases.h"

namespace assay::told {

static NewJob nameless() { return {.id = "a", .queue = "", .type = "t", .payload = "p"}; }
static NewJob overdrawn() {
  return {.id = "a", .queue = "q", .type = "t", .max_attempts = 2, .attempts = 3};
}
static NewJob backward() { return {.id = "a", .queue = "q", .type = "t", .timeout = -1ms}; }

static const RuleCases cases[] = {
    {"XVAL-1", "reference", nullptr,
     [](Told& h) {
       h.enqueue(nameless()).refused(invalid).enqueue(backward()).refused(invalid);
       h.enqueue(overdrawn()).refused(invalid);
     },
     [](Told& h) { h.enqueue(overdrawn()).ok(); },
     [](Told& h) { h.enqueue(overdrawn()).unknown().enqueue(nameless()).unknown(); }},
    {"XVAL-2", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.reserve_for(0s).refused(invalid).extend("a", {}, 0s).refused(invalid); },
     [](Told& h) { h.reserve_for(0s).nothing(); },
     [](Told& h) { h.reserve_for(-1s).unknown().extend("a", {}, 0s).unknown(); }},
    {"XVAL-3", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.reserve("").refused(invalid); }, [](Told& h) { h.reserve("").nothing(); },
     [](Told& h) { h.reserve("").unknown(); }},
};

Cases argument_cases() { return cases; }

}  // namespace assay::told
