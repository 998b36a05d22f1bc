#include "tests/properties/cases.h"

namespace assay::told {

static NewJob other_content() { return {.id = "a", .queue = "q", .type = "t", .payload = "else"}; }

static const RuleCases cases[] = {
    {"DELIV-2", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.advance(30s).claim("a"); }, [](Told& h) { h.claim("a"); },
     [](Told& h) { h.retry("a", 0s, 0).unknown().claim("a"); }},
    {"DELIV-5", "reference", nullptr, [](Told& h) { h.lapsed("a").get("a").shows().claim("a"); },
     [](Told& h) { h.lapsed("a").get("a").refused(not_found); },
     [](Told& h) { h.enqueue("a").unknown().advance(30s).get("a").refused(not_found); }},
    {"DUR-2", "reference", nullptr,
     [](Told& h) { h.enqueue("a").ok().advance(24h).get("a").shows(); },
     [](Told& h) { h.enqueue("a").ok().advance(24h).get("a").refused(not_found); },
     [](Told& h) { h.enqueue("a").unknown().advance(24h).get("a").refused(not_found); }},
    {"AVAIL-2", "reference", nullptr,
     [](Told& h) { h.enqueue("a").ok().enqueue("a").existed("a"); },
     [](Told& h) { h.enqueue("a").ok().enqueue("a").ok(); },
     [](Told& h) { h.enqueue(other_content()).unknown().enqueue("a").refused(duplicate_id); }},
};

Cases delivery_cases() { return cases; }

}  // namespace assay::told
