#include "tests/properties/cases.h"

namespace assay::told {

static void foreign_token(JobView& v) { v.lease->token = "nobody's"; }

// Two claims at the same time; the second call to begin is the first to be answered.
static void both_get(Told& h, const std::vector<JobId>& one, const std::vector<JobId>& other) {
  auto first = h.as(1).reserve();
  auto second = h.as(2).reserve();
  second.claims(other);
  first.claims(one);
}

static const RuleCases cases[] = {
    {"CLAIM-1", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { both_get(h, {}, {"a"}); }, [](Told& h) { both_get(h, {"a"}, {"a"}); },
     [](Told& h) {
       auto lost = h.as(1).reserve();
       h.as(2).reserve().claims({"a"});
       lost.unknown();
     }},
    {"XLEASE-3", "reference", [](Told& h) { h.lapsed("a"); },
     [](Told& h) { both_get(h, {}, {"a"}); }, [](Told& h) { both_get(h, {"a"}, {"a"}); },
     [](Told& h) {
       auto lost = h.as(1).reserve();
       h.as(2).reserve().claims({"a"});
       lost.unknown();
     }},
    {"CLAIM-2", "reference", nullptr,
     [](Told& h) { h.enqueue("a", 10s).ok().advance(10s).claim("a"); },
     [](Told& h) { h.enqueue("a", 10s).ok().claim("a"); },
     [](Told& h) { h.held("a").retry("a", 1h, 1).unknown().advance(30s).claim("a"); }},
    {"CLAIM-3", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.claim("a").reserve().nothing(); },
     [](Told& h) { h.claim("a").advance(29s).claim("a"); },
     [](Told& h) { h.seek("a").unknown().claim("a"); }},
    {"CLAIM-4", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.cancel("a").ok().reserve().nothing(); },
     [](Told& h) { h.cancel("a").ok().claim("a"); },
     [](Told& h) { h.cancel("a").unknown().claim("a"); }},
    {"CLAIM-5", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.claim("a").get("a").shows(); },
     [](Told& h) { h.claim("a").get("a").shows(foreign_token); },
     [](Told& h) { h.claim("a").hide().get("a").shows(foreign_token); }},
    {"CLAIM-6", "reference",
     [](Told& h) {
       h.enqueue("a").ok();
       h.enqueue(NewJob{.id = "b", .queue = "other", .type = "t", .payload = "p"}).ok();
     },
     [](Told& h) { h.reserve("q").claims({"a"}).reserve("q").nothing(); },
     [](Told& h) { h.reserve("q").claims({"b"}); },
     [](Told& h) { h.reserve("q").claims({"b"}).hide(); }},
    {"CLAIM-7", "reference", nullptr, [](Told& h) { h.enqueue("a").ok().reserve().claims({"a"}); },
     [](Told& h) { h.enqueue("a").ok().reserve().nothing(); },
     [](Told& h) { h.enqueue("a").unknown().reserve().nothing(); }},
    {"CLAIM-8", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.claim("a").get("a").shows().reserve().nothing(); },
     [](Told& h) { h.claim("a").get("a").shows([](JobView& v) { v.job.state = ready; }); },
     [](Told& h) { h.seek("a").unknown().get("a").shows(); }},
};

Cases claim_cases() { return cases; }

}  // namespace assay::told
