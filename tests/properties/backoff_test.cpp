#include "tests/properties/cases.h"

namespace assay::told {

// Sixty first failures; the n-th is delayed by `delay` and n steps.
static void fail_often(Told& h, Duration delay, Duration step, bool answered) {
  for (int n = 0; n < 60; ++n) {
    const auto id = "job-" + std::to_string(n);
    h.held(id).nack(id).waits(delay + n * step);
    if (!answered) h.hide();
  }
}

static const RuleCases cases[] = {
    {"BACK-2", "weave", [](Told& h) { h.held("a"); },
     [](Told& h) { h.nack("a").waits(500ms).get("a").shows(); },
     [](Told& h) { h.nack("a").waits(501ms); }, [](Told& h) { h.nack("a").waits(501ms).hide(); }},
    {"BACK-4", "weave", [](Told& h) { h.held("a"); },
     [](Told& h) { h.nack("a").waits(0ms).claim("a"); }, [](Told& h) { h.nack("a").waits(-1ms); },
     [](Told& h) { h.nack("a").waits(-1ms).hide(); }},
    {"BACK-5", "weave", nullptr, [](Told& h) { fail_often(h, 100ms, 1ms, true); },
     [](Told& h) { fail_often(h, 100ms, 0ms, true); },
     [](Told& h) { fail_often(h, 100ms, 0ms, false); }},
};

Cases backoff_cases() { return cases; }

}  // namespace assay::told
