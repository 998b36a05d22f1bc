#include "tests/properties/cases.h"

namespace assay::told {

static NewJob keyed(const JobId& id) {
  return {.id = id, .queue = "q", .type = "t", .payload = "p", .key = "k"};
}

// A replay of a must be refused: b holds its key.
static void key_taken(Told& h) {
  h.enqueue(keyed("a")).ok().claim("a").fail("a", 1).ok().enqueue(keyed("b")).ok();
}

static const RuleCases cases[] = {
    {"DLQ-2", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.fail("a", 1).ok().get("a").shows(); },
     [](Told& h) { h.fail("a", 1).ok().get("a").shows([](JobView& v) { v.job.state = ready; }); },
     [](Told& h) { h.fail("a", 1).unknown().get("a").shows(); }},
    {"DLQ-3", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.fail("a", 1).ok().get("a").shows(); },
     [](Told& h) { h.fail("a", 1).ok().get("a").shows([](JobView& v) { v.dead->reason = ""; }); },
     [](Told& h) { h.fail("a", 1).unknown().get("a").shows(); }},
    {"DLQ-4", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.fail("a", 1).ok().reserve().nothing(); },
     [](Told& h) { h.fail("a", 1).ok().advance(30s).claim("a"); },
     [](Told& h) { h.fail("a", 1).unknown().advance(30s).claim("a"); }},
    {"DLQ-5", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.fail("a", 1).ok().requeue("a").ok().claim("a"); },
     [](Told& h) { h.fail("a", 1).ok().requeue("a").refused(conflict); },
     [](Told& h) { h.fail("a", 1).unknown().requeue("a").refused(conflict); }},
    {"DLQ-6", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.fail("a", 1).ok().dead().buries({"a"}); },
     [](Told& h) { h.fail("a", 1).ok().dead().buries({}); },
     [](Told& h) { h.fail("a", 1).unknown().dead().buries({}); }},
    {"DLQ-7", "upnext", [](Told& h) { h.buried("a"); },
     [](Told& h) { h.requeue("a").replays("fresh").get("fresh").shows().dead().buries({}); },
     [](Told& h) { h.requeue("a").answers(Requeued{"a"}); },
     [](Told& h) { h.requeue("a").unknown().dead().buries({"a"}); }},
    {"DLQ-8", "upnext", key_taken,
     [](Told& h) { h.requeue("a").refused(conflict).dead().buries({"a"}); },
     [](Told& h) { h.requeue("a").refused(conflict).dead().buries({}); },
     [](Told& h) { h.cancel("b").unknown().requeue("a").unknown().dead().buries({}); }},
    {"DLQ-9", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.fail("a", 1).ok().dead().buries({"a"}).dead({.queue = "r"}).buries({}); },
     [](Told& h) {
       h.fail("a", 1).ok().dead().buries({"a", "a"});
     },
     [](Told& h) { h.fail("a", 1).unknown().dead().buries({}); }},
    {"DLQ-10", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.fail("a", 1).ok().advance(24h).reserve().nothing(); },
     [](Told& h) { h.fail("a", 1).ok().advance(24h).claim("a"); },
     [](Told& h) { h.fail("a", 1).unknown().advance(24h).claim("a"); }},
};

Cases dead_letter_cases() { return cases; }

}  // namespace assay::told
