#include "tests/properties/cases.h"

namespace assay::told {

// Held, expired and claimed again: a#1 is stale, a#2 is current.
static void reclaimed(Told& h) { h.lapsed("a").claim("a"); }

// As above, as far as anybody knows: the first lease may have been extended, and nobody else got
// the job.
static void perhaps_reclaimed(Told& h) {
  h.held("a").extend("a", {}, 1h).ok().hide().advance(30s).reserve().unknown();
}

static void same_token(Claim& c) { c.token = "a#1"; }
static void old_token(JobView& v) { v.lease->token = "a#1"; }

static const RuleCases cases[] = {
    {"FENCE-1", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.claim("a").ack("a", "forged").lost(mismatch).ack("a").ok(); },
     [](Told& h) { h.claim("a").ack("a", "forged").ok(); },
     [](Told& h) { h.claim("a").hide().ack("a", "forged").ok(); }},
    {"FENCE-2", "reference", nullptr,
     [](Told& h) { reclaimed(h), h.fail("a", 1, "a#1").lost(mismatch); },
     [](Told& h) { reclaimed(h), h.fail("a", 1, "a#1").ok(); },
     [](Told& h) { perhaps_reclaimed(h), h.fail("a", 1, "a#1").ok(); }},
    {"FENCE-3", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.advance(30s).ack("a").lost(expired).claim("a"); },
     [](Told& h) { h.advance(31s).ack("a").ok(); },
     [](Told& h) { h.extend("a", {}, 1h).ok().hide().advance(31s).ack("a").ok(); }},
    {"FENCE-4", "reference", [](Told& h) { h.held("a").get("a").shows(); },
     [](Told& h) { h.ack("a", "forged").lost(mismatch).get("a").shows(); },
     [](Told& h) {
       h.retry("a", 10s, 1, "forged").lost(mismatch);
       h.get("a").shows([](JobView& v) { v.job.attempts = 1; });
     },
     [](Told& h) { h.ack("a", "forged").lost(mismatch).ack("a").ok().hide().get("a").shows(); }},
    {"FENCE-5", "reference", [](Told& h) { h.enqueue("a").ok().enqueue("b").ok(); },
     [](Told& h) { h.claim("a").claim("b"); }, [](Told& h) { h.claim("a").claim("b", same_token); },
     [](Told& h) { h.claim("a").hide().claim("b", same_token); }},
    {"FENCE-6", "reference", [](Told& h) { h.lapsed("a"); }, [](Told& h) { h.claim("a"); },
     [](Told& h) { h.claim("a", [](Claim& c) { c.version = 1; }); },
     [](Told& h) { h.claim("a").hide().advance(30s).claim("a", [](Claim& c) { c.version = 2; }); }},
    {"FENCE-7", "trace", [](Told& h) { h.held("a"); },
     [](Told& h) {
       h.ask(Ack{{"a", "a#1", 2}}).lost(mismatch);
     },
     [](Told& h) {
       h.ask(Ack{{"a", "a#1", 2}}).ok();
     },
     [](Told& h) {
       h.ask(Ack{{"a", "a#1", 2}}).unknown();
     }},
    {"FENCE-8", "reference", nullptr,
     [](Told& h) { reclaimed(h), h.extend("a", "a#1").lost(mismatch); },
     [](Told& h) { reclaimed(h), h.advance(1s).extend("a", "a#1").ok(); },
     [](Told& h) { perhaps_reclaimed(h), h.extend("a", "a#1", 2h).ok(); }},
    {"FENCE-10", "reference", nullptr,
     [](Told& h) { reclaimed(h), h.ack("a", "a#1").lost(mismatch).ack("a").ok(); },
     [](Told& h) { reclaimed(h), h.ack("a", "a#1").ok(); },
     [](Told& h) { perhaps_reclaimed(h), h.ack("a", "a#1").ok(); }},
    {"FENCE-11", "reference", nullptr, [](Told& h) { reclaimed(h), h.get("a").shows(); },
     [](Told& h) { reclaimed(h), h.get("a").shows(old_token); },
     [](Told& h) { h.lapsed("a").reserve().unknown().get("a").shows(); }},
};

Cases fence_cases() { return cases; }

}  // namespace assay::told
