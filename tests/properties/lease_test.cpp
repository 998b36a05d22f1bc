#include "tests/properties/cases.h"

namespace assay::told {

static void unmoved(Response& r) { std::get<Extended>(r).expires_at = run_epoch + lease_length; }
static void other_id(Claim& c) { c.job.id = "z"; }
static void other_worker(JobView& v) { v.lease->worker = "somebody else"; }

static const RuleCases cases[] = {
    {"LEASE-1", "reference", [](Told& h) { h.enqueue("a").ok(); }, [](Told& h) { h.claim("a"); },
     [](Told& h) { h.claim("a", [](Claim& c) { c.token.clear(); }); },
     [](Told& h) { h.claim("a", [](Claim& c) { c.token.clear(); }).hide(); }},
    {"LEASE-2", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.claim("a").advance(29'999ms).as(1).reserve().nothing(); },
     [](Told& h) { h.claim("a").advance(29'999ms).as(1).claim("a"); },
     [](Told& h) { h.claim("a").hide().advance(29'999ms).as(1).claim("a"); }},
    {"LEASE-3", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.advance(30s).as(1).claim("a").as(0).reserve().nothing(); },
     [](Told& h) { h.advance(10s).as(1).claim("a"); },
     [](Told& h) { h.retry("a", 0s, 0).unknown().advance(10s).as(1).claim("a"); }},
    {"LEASE-4", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.advance(30s).claim("a"); },
     [](Told& h) { h.advance(30s).reserve().nothing(); },
     [](Told& h) { h.ack("a").unknown().advance(30s).reserve().nothing(); }},
    {"LEASE-5", "reference", [](Told& h) { h.held("a").advance(10s); },
     [](Told& h) { h.extend("a").ok().get("a").shows(); },
     [](Told& h) { h.extend("a").ok(unmoved); }, [](Told& h) { h.extend("a").ok(unmoved).hide(); }},
    {"LEASE-6", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.extend("a", "forged").lost(mismatch).advance(30s).extend("a").lost(expired); },
     [](Told& h) { h.advance(30s).extend("a").ok(); },
     [](Told& h) { h.extend("a", {}, 1h).ok().hide().advance(30s).extend("a", {}, 2h).ok(); }},
    {"LEASE-7", "reference", [](Told& h) { h.enqueue("a").ok().advance(5s); },
     [](Told& h) { h.claim("a").get("a").shows(); },
     [](Told& h) { h.claim("a", [](Claim& c) { c.expires_at += 5s; }); },
     [](Told& h) { h.claim("a", [](Claim& c) { c.expires_at += 5s; }).hide(); }},
    {"LEASE-8", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.advance(30s).claim("a"); },
     [](Told& h) { h.advance(30s).claim("a", other_id); },
     [](Told& h) { h.advance(30s).claim("a", other_id).hide(); }},
    {"LEASE-10", "reference", [](Told& h) { h.held("a").retry("a", 0s, 1).ok(); },
     [](Told& h) { h.claim("a").ack("a", "a#1").lost(mismatch); },
     [](Told& h) { h.claim("a").ack("a", "a#1").ok(); },
     [](Told& h) { h.claim("a").hide().ack("a", "a#1").lost(not_held); }},
    {"LEASE-11", "reference", [](Told& h) { h.enqueue("a").ok(); },
     [](Told& h) { h.claim("a").get("a").shows(); },
     [](Told& h) { h.claim("a").get("a").shows(other_worker); },
     [](Told& h) { h.claim("a").hide().get("a").shows(other_worker); }},
    {"XLEASE-1", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.advance(30s).ack("a").lost(expired).claim("a"); },
     [](Told& h) { h.advance(30s).ack("a").ok(); },
     [](Told& h) { h.extend("a", {}, 1h).ok().hide().advance(30s).ack("a").ok(); }},
    {"XLEASE-2", "reference", [](Told& h) { h.held("a"); },
     [](Told& h) { h.advance(30s).claim("a"); },
     [](Told& h) { h.advance(30s).reserve().nothing(); },
     [](Told& h) { h.ack("a").unknown().advance(30s).reserve().nothing(); }},
};

Cases lease_cases() { return cases; }

}  // namespace assay::told
