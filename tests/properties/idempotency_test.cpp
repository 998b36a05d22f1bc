#include "tests/properties/cases.h"

namespace assay::told {

static NewJob keyed(const JobId& id, const std::string& queue = "q") {
  return {.id = id, .queue = queue, .type = "t", .payload = "p", .key = "k"};
}

static void held_with_key(Told& h) { h.enqueue(keyed("a")).ok().claim("a"); }
static void buried_with_key(Told& h) { held_with_key(h), h.fail("a", 1).ok(); }

static const RuleCases cases[] = {
    {"IDEMP-10", "reference", nullptr,
     [](Told& h) {
       auto one = h.as(1).enqueue(keyed("a"));
       auto other = h.as(2).enqueue(keyed("b"));
       one.ok();
       other.existed("a");
     },
     [](Told& h) {
       auto one = h.as(1).enqueue(keyed("a"));
       auto other = h.as(2).enqueue(keyed("b"));
       other.ok();
       one.ok();
     },
     [](Told& h) {
       auto one = h.as(1).enqueue(keyed("a"));
       auto other = h.as(2).enqueue(keyed("b"));
       other.unknown();
       one.ok();
     }},
    {"IDEMP-1", "reference", nullptr,
     [](Told& h) { h.enqueue(keyed("a")).ok().enqueue(keyed("b")).existed("a"); },
     [](Told& h) { h.enqueue(keyed("a")).ok().enqueue(keyed("b")).existed("z"); },
     [](Told& h) { h.enqueue(keyed("a")).unknown().enqueue(keyed("b")).ok(); }},
    {"IDEMP-2", "reference", nullptr,
     [](Told& h) { h.enqueue(keyed("a")).ok().enqueue(keyed("b")).existed("a"); },
     [](Told& h) { h.enqueue(keyed("a")).ok().enqueue(keyed("b")).ok(); },
     [](Told& h) { h.enqueue(keyed("a")).unknown().enqueue(keyed("b")).ok(); }},
    {"IDEMP-3", "upnext", nullptr,
     [](Told& h) { h.enqueue(keyed("a")).ok().enqueue(keyed("b")).refused(duplicate_key); },
     [](Told& h) { h.enqueue(keyed("a")).ok().enqueue(keyed("b")).ok(); },
     [](Told& h) { h.enqueue(keyed("a")).unknown().enqueue(keyed("b")).ok(); }},
    {"IDEMP-4", "upnext", held_with_key, [](Told& h) { h.ack("a").ok().enqueue(keyed("b")).ok(); },
     [](Told& h) { h.ack("a").ok().enqueue(keyed("b")).refused(duplicate_key); },
     [](Told& h) { h.ack("a").unknown().enqueue(keyed("b")).refused(duplicate_key); }},
    {"IDEMP-5", "upnext", held_with_key,
     [](Told& h) { h.cancel("a").ok().enqueue(keyed("b")).ok(); },
     [](Told& h) { h.cancel("a").ok().enqueue(keyed("b")).refused(duplicate_key); },
     [](Told& h) { h.cancel("a").unknown().enqueue(keyed("b")).refused(duplicate_key); }},
    {"IDEMP-7", "upnext", buried_with_key,
     [](Told& h) { h.requeue("a").replays("a2").enqueue(keyed("b")).refused(duplicate_key); },
     [](Told& h) { h.requeue("a").replays("a2").enqueue(keyed("b")).ok(); },
     [](Told& h) { h.requeue("a").unknown().enqueue(keyed("b")).ok(); }},
    {"IDEMP-8", "upnext", buried_with_key,
     [](Told& h) { h.enqueue(keyed("b")).ok().requeue("a").refused(conflict); },
     [](Told& h) { h.enqueue(keyed("b")).ok().requeue("a").replays("a2"); },
     [](Told& h) { h.enqueue(keyed("b")).unknown().requeue("a").replays("a2"); }},
    {"XIDEMP-1", "reference", [](Told& h) { h.enqueue(keyed("a")).ok(); },
     [](Told& h) { h.enqueue(keyed("b", "r")).ok(); },
     [](Told& h) { h.enqueue(keyed("b", "r")).existed("a"); },
     [](Told& h) { h.enqueue(keyed("c", "r")).unknown().enqueue(keyed("b", "r")).existed("c"); }},
    {"ERR-3", "upnext", [](Told& h) { h.enqueue(keyed("a")).ok(); },
     [](Told& h) { h.enqueue(keyed("b")).refused(duplicate_key); },
     [](Told& h) { h.enqueue(keyed("b")).refused(conflict); },
     [](Told& h) { h.enqueue(keyed("b")).unknown(); }},
};

Cases idempotency_cases() { return cases; }

}  // namespace assay::told
