#include "tests/properties/cases.h"

namespace assay::told {

static NewJob keyed(const JobId& id) {
  return {.id = id, .queue = "q", .type = "t", .payload = "p", .key = "k"};
}

static NewJob in(const std::string& queue, const JobId& id) {
  return {.id = id, .queue = queue, .type = "t", .payload = "p"};
}

static Reserve either(std::int64_t max = 1) {
  return {.queues = {"q", "r"}, .lease = lease_length, .worker = "w", .max = max};
}

static const Permission all[] = {
    // A second run after a recorded failure, an expiry and a replay.
    {"DELIV-3", "reference",
     [](Told& h) {
       h.retried("a", 0s).claim("a").advance(30s).claim("a").fail("a", 2).ok();
       h.requeue("a").ok().claim("a").ack("a").ok();
     }},
    // The worker did the work, died, and never settled.
    {"DELIV-4", "reference", [](Told& h) { h.lapsed("a").as(1).claim("a").ack("a").ok(); }},
    {"DELIV-6", "taskharbor",
     [](Told& h) {
       h.lapsed("a");
       for (int n = 0; n < 30; ++n) h.claim("a").advance(30s);
     }},
    {"DELIV-7", "reference",
     [](Told& h) { h.held("a").advance(20s).extend("a").ok().advance(30s).as(1).claim("a"); }},
    {"ENQ-5", "reference",
     [](Told& h) {
       h.profile.visibility_lag_max = 2s;
       h.enqueue("a").ok().reserve().nothing().advance(1s).reserve().nothing();
       h.advance(1s).claim("a");
     }},
    {"ENQ-5", "reference",
     [](Told& h) {
       h.profile.visibility_lag_max = 2s;
       h.enqueue("a").ok().enqueue("b").ok().claim("b").advance(2s).claim("a");
     }},
    // So may a pause.
    {"ENQ-5", "reference",
     [](Told& h) {
       h.profile.visibility_lag_max = 2s;
       h.enqueue("a").ok().advance(1h).pause().ok().advance(1s).claim("a");
     }},
    {"SCHED-3", "reference", [](Told& h) { h.enqueue("a", 10s).ok().advance(720h).claim("a"); }},
    // Expired, not yet reclaimed: shown as held, as long as nobody asks.
    {"LEASE-9", "reference",
     [](Told& h) { h.lapsed("a").advance(1h).get("a").shows().list().lists({"a"}); }},
    // Or shown as what it will be.
    {"LEASE-9", "taskharbor",
     [](Told& h) {
       h.lapsed("a").get("a").shows([](JobView& v) { v.job.state = ready, v.lease.reset(); });
     }},
    {"ACK-4", "upnext",
     [](Told& h) { h.done("a").advance(25h).get("a").refused(not_found).list().lists({}); }},
    {"IDEMP-6", "reference",
     [](Told& h) { h.enqueue(keyed("a")).ok().claim("a").advance(30s).claim("a"); }},
    {"ORDER-1", "taskharbor",
     [](Told& h) { h.enqueue("a").ok().advance(1h).enqueue("b").ok().claim("b").claim("a"); }},
    {"ORDER-3", "reference",
     [](Told& h) {
       h.enqueue(in("q", "a")).ok().enqueue(in("r", "b")).ok();
       h.ask(either()).claims({"b"}).ask(either()).claims({"a"});
     }},
    {"ORDER-4", "reference",
     [](Told& h) {
       auto urgent = in("q", "b");
       urgent.priority = 5;
       h.enqueue("a").ok().enqueue(urgent).ok().claim("b").claim("a");
     }},
    // A retried job comes after one that was enqueued later, and may come before one, too.
    {"ORDER-5", "reference",
     [](Told& h) { h.retried("a", 10s).enqueue("b").ok().advance(10s).claim("b").claim("a"); }},
    {"ORDER-5", "reference",
     [](Told& h) { h.held("a").enqueue("b").ok().retry("a", 0s, 1).ok().claim("a").claim("b"); }},
    {"ORDER-5", "reference",
     [](Told& h) {
       h.lapsed("a").enqueue(NewJob{.id = "b", .queue = "q", .type = "t", .payload = "other"}).ok();
       h.claim("b").claim("a");
     }},
    {"XACK-1", "taskharbor",
     [](Told& h) { h.lapsed("a").claim("a").ack("a").ok().ack("a", "a#1").ok().get("a").shows(); }},
    // A permission is not a duty.
    {"XACK-1", "taskharbor",
     [](Told& h) { h.lapsed("a").claim("a").ack("a").ok().ack("a", "a#1").lost(not_held); }},
    {"XIDEMP-2", "reference",
     [](Told& h) {
       h.enqueue(keyed("a")).ok().claim("a").ack("a").ok().advance(24h);
       h.enqueue(keyed("b")).existed("a");
     }},
    // Where the contract lets a late settle through, both answers are right.
    {"DELIV-3", "weave", [](Told& h) { h.lapsed("a").advance(1s).ack("a").ok(); }},
    {"DELIV-3", "weave", [](Told& h) { h.lapsed("a").advance(1s).ack("a").lost(expired); }},
};

std::span<const Permission> permissions() { return all; }

}  // namespace assay::told
