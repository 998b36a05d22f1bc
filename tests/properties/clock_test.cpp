#include "tests/properties/cases.h"

namespace assay::told {

static void of_another_clock(Claim& c) { c.expires_at = run_epoch + lease_length; }

static void without_birthday(JobView& v) { v.job.created_at.reset(); }

static const RuleCases cases[] = {
    {"XCLOCK-1", "reference", [](Told& h) { h.enqueue("a").ok().advance(1h); },
     [](Told& h) {
       h.get("a").shows(without_birthday).claim("a").advance(30s).ack("a").lost(expired);
     },
     [](Told& h) { h.claim("a", of_another_clock); },
     [](Told& h) { h.claim("a", of_another_clock).hide(); }},
};

Cases clock_cases() { return cases; }

}  // namespace assay::told
