// The rules of an engine, on histories told by hand: three for each.
#include <gtest/gtest.h>

#include "tests/properties/engine_told.h"

namespace assay::told {
namespace {

using Kind = EngineEvent::Kind;

NewJob limited(std::int64_t limit) {
  return {.id = "a", .queue = "q", .type = "t", .max_attempts = limit};
}
NewJob timed(Duration timeout) {
  return {.id = "a", .queue = "q", .type = "t", .timeout = timeout};
}

const EngineCases cases[] = {
    {"HB-1", "reference",
     [](Engine& e) {
       e.starts().runs("a").passes(10s).beats("a").passes(10s).beats("a").passes(5s).ended("a");
       e.acked("a");
     },
     [](Engine& e) { e.starts().runs("a").passes(2s).beats("a").passes(10s).ended("a"); },
     [](Engine& e) {
       e.starts().runs("a").passes(2s).extend("a").unknown();
       e.passes(10s).ended("a");
     }},
    {"HB-3", "reference",
     [](Engine& e) {
       e.starts().runs("a").passes(10s).beats("a").passes(1s).ended("a").acked("a");
     },
     [](Engine& e) {
       e.starts().runs("a").passes(10s).beats("a").ended("a").acked("a").passes(10s);
       e.extend("a").lost(not_held);
     },
     // Whether it had ended nobody saw.
     [](Engine& e) {
       e.starts().runs("a").passes(10s).beats("a").passes(10s).extend("a").unknown();
     }},
    {"HB-6", "reference",
     [](Engine& e) {
       e.starts().runs("a").passes(10s).beats("a").passes(10s).beats("a").passes(9s).ended("a");
     },
     [](Engine& e) { e.starts().runs("a").passes(29s).passes(2s).ended("a"); },
     [](Engine& e) {
       e.starts().runs("a").away().passes(10s).extend("a").unknown();
       e.passes(20s).stops("a", "lease_lost").ended("a", "stopped").back();
     }},
    {"EXEC-1", "reference", [](Engine& e) { e.starts().runs("a").ended("a").acked("a"); },
     [](Engine& e) { e.starts().runs("a").ended("a").acked("a").began("a", 2); },
     [](Engine& e) {
       e.starts().as(0).enqueue("a").ok();
       e.as(1).reserve().unknown();
     }},
    {"EXEC-2", "reference",
     [](Engine& e) {
       e.starts().runs("a").says(Kind::line_lost).passes(30s).stops("a", "lease_lost");
       e.ended("a", "stopped").says(Kind::line_back).claim("a").as(1);
       e.began("a", 2).ended("a", "ok", 2).acked("a");
     },
     [](Engine& e) { e.starts().runs("a").passes(31s).ended("a"); },
     [](Engine& e) {
       e.starts().runs("a").passes(10s).extend("a").unknown();
       e.says(Kind::worker_died).passes(31s);
     }},
    {"EXEC-3", "reference", [](Engine& e) { e.starts().runs("a").ended("a").acked("a"); },
     [](Engine& e) { e.starts().runs("a").acked("a").ended("a"); },
     // Whether it had ended nobody saw.
     [](Engine& e) { e.starts().runs("a").says(Kind::worker_died).reserve().unknown(); }},
    {"TIME-1", "reference",
     [](Engine& e) {
       e.starts({{"timeout_ms", 20'000}}).runs(timed(5s)).passes(5s).stops("a", "timed_out");
       e.ended("a", "stopped");
     },
     [](Engine& e) {
       e.starts({{"timeout_ms", 20'000}}).runs(timed(5s)).passes(10s).beats("a").passes(10s);
       e.stops("a", "timed_out").ended("a", "stopped");
     },
     [](Engine& e) {
       e.starts({{"timeout_ms", 20'000}}).runs(timed(5s)).passes(4s).extend("a").unknown();
       e.says(Kind::worker_died).passes(10s);
     }},
    {"TIME-2", "reference",
     [](Engine& e) {
       e.starts({{"timeout_ms", 5'000}}).runs("a").passes(5s).stops("a", "timed_out");
     },
     [](Engine& e) {
       e.starts({{"timeout_ms", 5'000}}).runs("a").passes(6s).ended("a");
     },
     [](Engine& e) {
       e.starts({{"timeout_ms", 5'000}}).runs("a").passes(5s).extend("a").unknown();
     }},
    {"TIME-3", "reference",
     [](Engine& e) {
       e.starts().runs("a").says(Kind::worker_stopping).passes(10s).stops("a", "shutdown");
       e.passes(1s).ended("a", "stopped").says(Kind::worker_ended);
     },
     [](Engine& e) {
       e.starts().runs("a").says(Kind::worker_stopping).passes(10s).beats("a").passes(2s);
       e.ended("a").says(Kind::worker_ended);
     },
     [](Engine& e) {
       e.starts().runs("a").says(Kind::worker_stopping).passes(10s).extend("a").unknown();
     }},
    {"TIME-4", "reference",
     [](Engine& e) {
       e.starts().runs(timed(5s)).passes(5s).stops("a", "timed_out").ended("a", "stopped");
       e.retry("a", 0s, 1).ok();
     },
     [](Engine& e) {
       e.starts().runs(timed(5s)).passes(5s).stops("a", "timed_out").ended("a").acked("a");
     },
     [](Engine& e) {
       e.starts().runs(timed(5s)).passes(5s).stops("a", "timed_out").ended("a");
       e.reserve().unknown();
     }},
    {"TIME-5", "reference",
     [](Engine& e) {
       e.starts().runs(timed(35s)).passes(10s).beats("a").passes(10s).beats("a").passes(10s);
       e.beats("a").passes(5s).stops("a", "timed_out").ended("a", "stopped");
     },
     [](Engine& e) {
       e.starts().runs(timed(35s)).passes(10s).beats("a").passes(10s).beats("a").passes(10s);
       e.stops("a", "timed_out").ended("a", "stopped");
     },
     [](Engine& e) {
       e.starts().runs(timed(35s)).passes(10s).extend("a").unknown();
       e.passes(20s).stops("a", "lease_lost").ended("a", "stopped");
     }},
    {"TIME-6", "reference",
     [](Engine& e) {
       e.starts().runs(timed(15s)).passes(10s).beats("a").passes(5s).stops("a", "timed_out");
       e.ended("a", "stopped");
     },
     [](Engine& e) {
       e.starts().runs(timed(15s)).passes(10s).beats("a").passes(8s).ended("a").acked("a");
     },
     [](Engine& e) {
       e.starts().runs(timed(15s)).passes(10s).extend("a").unknown();
       e.says(Kind::worker_died).passes(8s);
     }},
    {"RETRY-12", "weave",
     [](Engine& e) {
       e.starts().runs("a").ended("a", "failed").nack("a").waits(100ms);
       for (const std::int64_t run : {2, 3, 4}) {
         e.passes(20s).claim("a");
         e.began("a", run).ended("a", "failed", run);
         if (run < 4) e.nack("a").waits(100ms);
       }
       e.nack("a").dies();
     },
     [](Engine& e) {
       e.starts().runs("a").ended("a", "failed").nack("a").waits(100ms);
       e.passes(20s).claim("a");
       e.began("a", 2).ended("a", "failed", 2).nack("a").dies();
     },
     [](Engine& e) {
       e.starts().runs("a").ended("a", "failed").nack("a").unknown();
       e.of_job(Kind::surfaced, "a", "unavailable");
     }},
    {"POLICY-2", "trace",
     [](Engine& e) { e.starts().runs("a").ended("a", "failed").nack("a").waits(30s); },
     [](Engine& e) {
       e.starts().runs("a").ended("a", "failed").retry("a", 1s, 1).refused(unsupported);
     },
     [](Engine& e) { e.starts().runs("a").ended("a", "failed").reserve().unknown(); }},
    {"BACK-1", "reference",
     [](Engine& e) { e.starts().runs("a").ended("a", "failed").retry("a", 300ms, 1).ok(); },
     [](Engine& e) { e.starts().runs("a").ended("a", "failed").retry("a", 31s, 1).ok(); },
     [](Engine& e) { e.starts().runs("a").ended("a", "failed").reserve().unknown(); }},
    {"BACK-3", "reference",
     [](Engine& e) { e.starts().runs("a").ended("a", "failed").retry("a", 500ms, 1).ok(); },
     [](Engine& e) { e.starts().runs("a").ended("a", "failed").retry("a", 501ms, 1).ok(); },
     [](Engine& e) { e.starts().runs("a").ended("a", "failed").reserve().unknown(); }},
    // --- schedules, and who hands jobs in ---
    {"XCRON-1", "reference",
     [](Engine& e) {
       e.schedules("r catch_up 2 60000 */5 * * * *").passes(5min).fires({"1"});
       e.happens({.kind = Kind::worker_died, .worker = "s"});
       e.passes(27min).schedulers().fires({"2", "3"});
       e.passes(3min).fires({"4"});
     },
     [](Engine& e) {
       e.schedules("r latest 2 60000 */5 * * * *").passes(5min).fires({"1"});
       e.passes(1s).fires({"2"});
     },
     // Whether the first one was made nobody knows.
     [](Engine& e) {
       e.schedules("r latest 2 60000 */5 * * * *").passes(5min);
       e.as(2).enqueue(of_schedule("1")).unknown();
       e.passes(1s).fires({"2"});
     }},
    {"IDEMP-9", "reference",
     [](Engine& e) {
       e.asks(1, "submit k").as(2).enqueue(of_order("a", 1, "k")).ok();
       e.is_told(1, "ok", "a").asks(2, "submit_and_wait k");
       e.as(2).enqueue(of_order("b", 2, "k")).existed("a");
       e.is_told(2, "ok", "a");
     },
     [](Engine& e) {
       e.asks(1, "send_event k").as(2).enqueue(of_order("a", 1, std::nullopt)).ok();
       e.is_told(1, "ok", "a");
     },
     [](Engine& e) {
       e.asks(1, "submit k").as(2).enqueue(of_order("a", 1, "k")).unknown();
       e.is_told(1, "unavailable", "");
     }},
    // --- where the engine decides what a failure leads to ---
    {"RETRY-1", "reference",
     [](Engine& e) {
       e.fails("a").retry("a", 100ms, 1).ok();
       e.comes_back("a", 2).retry("a", 100ms, 2).ok();
     },
     [](Engine& e) {
       e.fails("a").retry("a", 100ms, 1).ok();
       e.comes_back("a", 2).retry("a", 100ms, 1).ok();
     },
     // Whether the first one was recorded nobody knows.
     [](Engine& e) {
       e.fails("a").says(Kind::line_lost).retry("a", 100ms, 1).unknown();
       e.of_job(Kind::surfaced, "a", "unavailable").passes(31s).says(Kind::line_back);
       e.comes_back("a", 1).retry("a", 100ms, 1).ok();
     }},
    {"RETRY-2", "upnext", [](Engine& e) { e.fails(limited(3)).retry("a", 100ms, 1).ok(); },
     [](Engine& e) { e.fails(limited(3)).retry("a", 100ms, 2).ok(); },
     [](Engine& e) { e.fails(limited(3)).reserve().unknown(); }},
    {"RETRY-3", "reference", [](Engine& e) { e.fails("a").retry("a", 100ms, 1).ok(); },
     [](Engine& e) {
       e.fails("a").retry("a", 100ms, 1).ok();
       e.fail("a", 1).lost(not_held);
       e.of_job(Kind::surfaced, "a", "lease_lost");
     },
     // It died before it could say anything.
     [](Engine& e) {
       e.fails("a").says(Kind::worker_died).reserve().unknown();
       e.passes(1h).says(Kind::watched);
     }},
    {"RETRY-4", "taskharbor", [](Engine& e) { e.fails(limited(2)).retry("a", 100ms, 1).ok(); },
     [](Engine& e) { e.fails(limited(2)).fail("a", 1).ok(); },
     [](Engine& e) { e.fails(limited(2)).reserve().unknown(); }},
    {"RETRY-5", "reference",
     [](Engine& e) {
       e.fails(limited(2)).retry("a", 100ms, 1).ok();
       e.comes_back("a", 2).fail("a", 2).ok();
     },
     [](Engine& e) {
       e.fails(limited(1)).retry("a", 100ms, 1).ok();
       e.comes_back("a", 2).fail("a", 2).ok();
     },
     [](Engine& e) { e.fails(limited(1)).reserve().unknown(); }},
    {"RETRY-6", "upnext",
     [](Engine& e) {
       e.fails(limited(1)).retry("a", 100ms, 1).ok();
       e.comes_back("a", 2).fail("a", 2).ok();
     },
     [](Engine& e) {
       e.fails(limited(1)).retry("a", 100ms, 1).ok();
       e.comes_back("a", 2).retry("a", 100ms, 2).ok();
     },
     [](Engine& e) { e.fails(limited(1)).reserve().unknown(); }},
    {"RETRY-13", "reference",
     [](Engine& e) { e.starts().runs("a").ended("a", "unrecoverable").fail("a", 1).ok(); },
     [](Engine& e) { e.starts().runs("a").ended("a", "unrecoverable").retry("a", 100ms, 1).ok(); },
     [](Engine& e) { e.starts().runs("a").ended("a", "unrecoverable").reserve().unknown(); }},
    {"DLQ-1", "reference",
     [](Engine& e) {
       e.fails(limited(1)).fail("a", 1).ok();
       e.as(0).get("a").shows();
     },
     [](Engine& e) { e.fails(limited(1)).acked("a"); },
     [](Engine& e) {
       e.fails(limited(1)).fail("a", 1).unknown();
       e.of_job(Kind::surfaced, "a", "unavailable").as(0).get("a").shows();
     }},
    {"DLQ-2", "taskharbor",
     [](Engine& e) {
       e.starts().runs("a").ended("a", "unrecoverable").fail("a", 1).ok();
       e.as(0).get("a").shows();
     },
     [](Engine& e) { e.starts().runs("a").ended("a", "unrecoverable").acked("a"); },
     [](Engine& e) { e.starts().runs("a").ended("a", "unrecoverable").reserve().unknown(); }},
    {"BACK-2", "taskharbor",
     [](Engine& e) {
       e.fails("a").retry("a", 200ms, 1).ok();
       e.comes_back("a", 2).retry("a", 400ms, 2).ok();
     },
     [](Engine& e) {
       e.fails("a").retry("a", 200ms, 1).ok();
       e.comes_back("a", 2).retry("a", 401ms, 2).ok();
     },
     [](Engine& e) { e.fails("a").reserve().unknown(); }},
    {"BACK-4", "reference", [](Engine& e) { e.fails("a").retry("a", 0s, 1).ok(); },
     [](Engine& e) { e.fails("a").retry("a", -1ms, 1).ok(); },
     [](Engine& e) { e.fails("a").reserve().unknown(); }},
    {"BACK-5", "reference",
     [](Engine& e) {
       e.starts();
       for (int i = 0; i < 20; ++i) {
         const JobId id = "j" + std::to_string(i);
         e.runs(id).ended(id, "failed").retry(id, i * 20ms, 1).ok();
       }
     },
     [](Engine& e) {
       e.starts();
       for (int i = 0; i < 20; ++i) {
         const JobId id = "j" + std::to_string(i);
         e.runs(id).ended(id, "failed").retry(id, 300ms, 1).ok();
       }
     },
     // Of one of them nobody knows the end: too few are left.
     [](Engine& e) {
       e.starts();
       for (int i = 0; i < 19; ++i) {
         const JobId id = "j" + std::to_string(i);
         e.runs(id).ended(id, "failed").retry(id, 300ms, 1).ok();
         if (i == 0) e.as(0).enqueue("lost").unknown();
         e.as(1);
       }
     }},
    {"ERR-4", "reference",
     [](Engine& e) {
       e.starts().runs("a").ended("a").as(0).cancel("a").ok();
       e.as(1).ack("a").lost(not_held);
       e.of_job(Kind::surfaced, "a", "lease_lost");
     },
     [](Engine& e) {
       e.starts().runs("a").ended("a").as(0).cancel("a").ok();
       e.as(1).ack("a").lost(not_held);
     },
     // It died before it could say anything.
     [](Engine& e) {
       e.starts().runs("a").ended("a").ack("a").unknown();
       e.says(Kind::worker_died);
     }},
    {"DELIV-1", "reference",
     [](Engine& e) { e.starts().runs("a").ended("a").acked("a").says(Kind::watched); },
     [](Engine& e) {
       e.starts().as(0).enqueue("a").ok();
       e.passes(1h).says(Kind::watched);
     },
     [](Engine& e) {
       e.starts().as(0).enqueue("a").unknown();
       e.passes(1h).says(Kind::watched);
     }},
    {"DUR-3", "reference",
     [](Engine& e) {
       e.starts().runs("a").says(Kind::worker_died).passes(31s).starts().claim("a");
       e.began("a", 2).ended("a", "ok", 2).acked("a").says(Kind::watched).as(0).get("a").shows();
     },
     [](Engine& e) {
       e.starts().runs("a").says(Kind::worker_died).passes(31s).starts().passes(1h);
       e.says(Kind::watched).as(0).get("a").shows();
     },
     [](Engine& e) {
       e.starts().runs("a").says(Kind::worker_died).passes(31s).starts().passes(1h);
       e.says(Kind::watched).as(0).get("a").unknown();
     }},
    {"XWORK-1", "reference",
     [](Engine& e) {
       e.starts().runs("a").ended("a", "threw").retry("a", 300ms, 1).ok();
       e.as(0).enqueue({.id = "b", .queue = "q", .type = "other"}).ok();
       e.as(1).claim("b");
       e.of_job(Kind::held_back, "b", "unknown_type").fail("b", 1).ok();
     },
     [](Engine& e) { e.starts().runs("a").ended("a", "threw").acked("a"); },
     [](Engine& e) { e.starts().runs("a").ended("a", "threw").reserve().unknown(); }},
    {"XWORK-2", "reference",
     [](Engine& e) {
       e.starts({{"most_runs", 1}}).runs(limited(3)).ended("a", "failed").fail("a", 1).ok();
     },
     [](Engine& e) {
       e.starts({{"most_runs", 1}}).runs(limited(3)).ended("a", "failed");
       e.retry("a", 300ms, 1).ok();
     },
     [](Engine& e) {
       e.starts({{"most_runs", 1}}).runs(limited(3)).ended("a", "failed").reserve().unknown();
     }},
    {"XBATCH-1", "reference",
     [](Engine& e) {
       e.starts({{"group_acks", 1}}).runs("a").says(Kind::worker_stopping).passes(1s).ended("a");
       e.acked("a").says(Kind::worker_ended);
     },
     [](Engine& e) {
       e.starts({{"group_acks", 1}}).runs("a").says(Kind::worker_stopping).passes(1s).ended("a");
       e.says(Kind::worker_ended);
     },
     [](Engine& e) {
       e.starts({{"group_acks", 1}}).runs("a").says(Kind::worker_stopping).passes(1s).ended("a");
       e.away().ack("a").unknown();
       e.of_job(Kind::surfaced, "a", "unavailable").says(Kind::worker_ended).passes(40s).back();
     }},
    {"XFAIR-1", "reference",
     [](Engine& e) {
       e.starts().runs("a").ended("a", "failed").retry("a", 0s, 1).ok();
       e.passes(1s).as(0).enqueue("b").ok().enqueue("c").ok();
       e.as(1).reserve("q", 3).claims({"a", "b", "c"});
     },
     [](Engine& e) {
       e.starts().runs("a").ended("a", "failed").retry("a", 0s, 1).ok();
       e.passes(1s).as(0).enqueue("b").ok().enqueue("c").ok();
       e.as(1).reserve("q", 2).claims({"b", "c"});
     },
     [](Engine& e) {
       e.starts().runs("a").ended("a", "failed").retry("a", 0s, 1).unknown();
       e.of_job(Kind::surfaced, "a", "unavailable")
           .passes(1s)
           .as(0)
           .enqueue("b")
           .ok()
           .enqueue("c")
           .ok();
       e.as(1).reserve("q", 2).claims({"b", "c"});
     }},
    {"XFAIR-2", "reference",
     [](Engine& e) {
       e.starts().as(0).enqueue({.id = "a", .queue = "p", .type = "t"}).ok();
       for (const char* id : {"b", "c"}) e.runs(id).ended(id).acked(id);
       e.claim("a");
     },
     [](Engine& e) {
       e.starts().as(0).enqueue({.id = "a", .queue = "p", .type = "t"}).ok();
       for (const char* id : {"b", "c", "d", "f", "g", "h", "i", "j", "k", "l"})
         e.runs(id).ended(id).acked(id);
       e.claim("a");
     },
     [](Engine& e) {
       e.starts().as(0).enqueue({.id = "a", .queue = "p", .type = "t"}).unknown();
       for (const char* id : {"b", "c", "d", "f", "g", "h", "i", "j", "k", "l"})
         e.runs(id).ended(id).acked(id);
     }},
    {"XFLOW-1", "reference",
     [](Engine& e) {
       e.starts({{"type_limit", 1}}).runs("a").ended("a").acked("a").runs("b");
     },
     [](Engine& e) {
       e.starts({{"type_limit", 1}}).runs("a").runs("b");
     },
     // The other worker may have died before it began.
     [](Engine& e) {
       e.starts({{"type_limit", 1}}).runs("a").says(Kind::worker_died);
       e.starts({{"type_limit", 1}}).as(1).reserve().unknown();
     }},
    {"XFLOW-2", "reference",
     [](Engine& e) {
       e.starts().as(0).enqueue("a").ok();
       e.as(1).claim("a");
       e.of_job(Kind::held_back, "a", "no_capacity").retry("a", 1s, 0).ok();
     },
     [](Engine& e) {
       e.starts().as(0).enqueue("a").ok();
       e.as(1).claim("a").retry("a", 1s, 0).ok();
     },
     [](Engine& e) {
       e.starts().as(0).enqueue("a").ok();
       e.as(1).claim("a").retry("a", 1s, 0).unknown();
       e.says(Kind::worker_died);
     }},
    {"AVAIL-1", "reference",
     [](Engine& e) {
       e.starts().away();
       for (int i = 0; i < 12; ++i) e.passes(5s).as(1).reserve().unknown();
       e.back().passes(20s).reserve().nothing();
       e.passes(2min).says(Kind::watched);
     },
     [](Engine& e) {
       e.starts().away().as(1);
       for (int i = 0; i < 300; ++i) e.passes(40ms).reserve().unknown();
       e.back();
     },
     // It was not away for long enough to tell.
     [](Engine& e) {
       e.starts().away().as(1);
       for (int i = 0; i < 30; ++i) e.passes(40ms).reserve().unknown();
       e.back();
     }},
};

TEST_P(EngineHistories, Hold) {
  const Judgement judgement = judged(GetParam().holds);
  EXPECT_GT(judgement.tallies.of(GetParam().rule).triggered, 0U);
  EXPECT_EQ(findings_of(judgement), "");
}

TEST_P(EngineHistories, Convict) {
  const Judgement judgement = judged(GetParam().convicts);
  EXPECT_GT(judgement.tallies.of(GetParam().rule).convicted, 0U) << findings_of(judgement);
  for (const Finding& finding : judgement.findings) EXPECT_FALSE(finding.story.empty());
}

TEST_P(EngineHistories, AreUnknown) {
  const Judgement judgement = judged(GetParam().unknown);
  EXPECT_GT(judgement.unknown_outcomes, 0U);
  EXPECT_EQ(findings_of(judgement), "");
}

Tally of_schedules(Play play) {
  Engine engine("reference");
  play(engine);
  return judge(engine.history(), all_properties()).tallies.of("XCRON-1");
}

TEST(BatchesOfClaims, NeedNoRoomForAJobThatWasPutBackAsItWas) {
  const auto convicted = [](std::int64_t failures) {
    Engine e("reference");
    e.starts().as(0).enqueue("a").ok().as(1).claim("a");
    e.of_job(Kind::held_back, "a", "no_capacity").as(1).retry("a", 0s, failures).ok();
    e.passes(1s).as(0).enqueue("b").ok().enqueue("c").ok();
    e.as(1).reserve("q", 2).claims({"b", "c"});
    return judge(e.history(), all_properties()).tallies.of("XFAIR-1").convicted;
  };
  EXPECT_EQ(convicted(0), 0u);
  EXPECT_EQ(convicted(1), 1u);
}

// Whoever had the worker's name before lost the answer to its claim.
TEST(TurnsAmongQueues, AreNotOwedToAJobThatMayHaveBeenTakenBefore) {
  const auto convicted = [](bool is_lost) {
    Engine e("reference");
    e.starts().as(0).enqueue({.id = "a", .queue = "p", .type = "t"}).ok();
    if (is_lost) e.says(Kind::line_lost).says(Kind::line_back);
    e.says(Kind::worker_ended).starts();
    for (const char* id : {"b", "c", "d", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o"})
      e.runs(id).ended(id).acked(id);
    e.claim("a");
    return judge(e.history(), all_properties()).tallies.of("XFAIR-2").convicted;
  };
  EXPECT_EQ(convicted(true), 0u);
  EXPECT_EQ(convicted(false), 1u);
}

// It took effect after the retry, though it was asked for before.
TEST(BatchesOfClaims, NeedNoRoomForARetryThatIsCancelledMeanwhile) {
  const auto convicted = [](bool is_cancelled) {
    Engine e("reference");
    e.starts().runs("a").ended("a", "failed");
    std::optional<Asked> cancel;
    if (is_cancelled) cancel.emplace(e.as(0).cancel("a"));
    e.as(1).retry("a", 0s, 1).ok();
    if (cancel) cancel->ok();
    e.passes(1s).as(0).enqueue("b").ok().enqueue("c").ok();
    e.as(1).reserve("q", 2).claims({"b", "c"});
    return judge(e.history(), all_properties()).tallies.of("XFAIR-1").convicted;
  };
  EXPECT_EQ(convicted(true), 0u);
  EXPECT_EQ(convicted(false), 1u);
}

TEST(Schedules, ConvictAWindowThatMakesNoJobWhileSomebodyIsThere) {
  EXPECT_GT(of_schedules([](Engine& e) {
              e.schedules("r skip 1 60000 */5 * * * *").passes(5min).fires({"1"}).passes(6min);
              e.says(Kind::watched);
            }).convicted,
            0U);
}

TEST(Schedules, ConvictNobodyForAWindowThatNobodyWasThereFor) {
  const Tally tally = of_schedules([](Engine& e) {
    e.schedules("r skip 1 60000 */5 * * * *").passes(5min).fires({"1"});
    e.happens({.kind = Kind::worker_died, .worker = "s"});
    e.passes(6min).says(Kind::watched);
  });
  EXPECT_GT(tally.triggered, 0U);
  EXPECT_EQ(tally.convicted, 0U);
}

TEST(Schedules, ConvictAMissedWindowThatIsMadeUpForAgainstTheirPolicy) {
  EXPECT_GT(of_schedules([](Engine& e) {
              e.schedules("r skip 1 60000 */5 * * * *");
              e.passes(17min).fires({"1"});
            }).convicted,
            0U);
  EXPECT_GT(of_schedules([](Engine& e) {
              e.schedules("r catch_up 2 60000 */5 * * * *");
              e.passes(17min).fires({"1", "2", "3"});
            }).convicted,
            0U);
}

TEST(Schedules, ConvictAJobThatIsMadeDuringAPause) {
  EXPECT_GT(of_schedules([](Engine& e) {
              e.schedules("r latest 1 60000 */5 * * * *").passes(2min);
              e.happens({.kind = Kind::schedule_paused, .word = "r"});
              e.passes(3min).fires({"1"});
            }).convicted,
            0U);
}

Tally of_rule(std::string_view rule, std::string_view profile, Play play) {
  Engine engine(profile);
  play(engine);
  return judge(engine.history(), all_properties()).tallies.of(rule);
}

// Told to stop it did not return, and its job came back to the same worker.
TEST(Handlers, OfALostLeaseAreToldFromTheirSuccessors) {
  const Play play = [](Engine& e) {
    const auto handler = [&](Kind kind, std::int64_t number, std::string word = "") {
      e.happens({.kind = kind,
                 .worker = "w",
                 .job_id = "a",
                 .run = 1,
                 .word = std::move(word),
                 .numbers = {{"handler", number}}});
    };
    e.starts().as(0).enqueue("a").ok();
    e.as(1).claim("a");
    handler(Kind::handler_began, 1);
    handler(Kind::handler_told_to_stop, 1, "timed_out");
    e.passes(31s).claim("a");
    handler(Kind::handler_began, 2);
    e.passes(5s);
    handler(Kind::handler_ended, 1, "unrecoverable");
    e.passes(5s).beats("a").passes(1s);
    handler(Kind::handler_ended, 2, "ok");
    e.acked("a");
  };
  for (const std::string_view rule : {"HB-3", "RETRY-13", "DLQ-2"})
    EXPECT_EQ(of_rule(rule, "reference", play).convicted, 0U) << rule;
  EXPECT_GT(of_rule("HB-3", "reference", play).triggered, 0U);
}

TEST(Heartbeats, MayBeCountedFromTheBeginningOfTheClaim) {
  const Tally tally = of_rule("HB-1", "reference", [](Engine& e) {
    e.starts().as(0).enqueue("a").ok();
    auto claim = e.as(1).reserve();
    e.passes(5s);
    claim.claims({"a"});
    e.began("a").passes(5s).beats("a").passes(10s).beats("a").passes(1s).ended("a").acked("a");
  });
  EXPECT_EQ(tally.triggered, 1U);
  EXPECT_EQ(tally.convicted, 0U);
}

TEST(Handlers, ThatThrowInTheInstantOfTheirInterruptionMayBePutBack) {
  const auto at_its_end = of_rule("XWORK-1", "reference", [](Engine& e) {
    e.starts().runs("a").says(Kind::worker_stopping).passes(10s);
    e.ended("a", "threw").retry("a", 0s, 0).ok();
  });
  const auto before = of_rule("XWORK-1", "reference", [](Engine& e) {
    e.starts().runs("a").says(Kind::worker_stopping).passes(9s);
    e.ended("a", "threw").retry("a", 0s, 0).ok();
  });
  EXPECT_EQ(at_its_end.convicted, 0U);
  EXPECT_EQ(before.convicted, 1U);
}

// Where the store decides a worker that ends can give nothing back, and losing a lease counts.
TEST(Delivery, OfAJobThatWasLeftWithItsOnlyRunIsNotExpected) {
  const Tally tally = of_rule("DELIV-1", "trace", [](Engine& e) {
    e.starts().as(0).enqueue(NewJob{.id = "a", .queue = "q", .type = "t", .max_attempts = 1}).ok();
    e.as(1).claim("a");
    e.says(Kind::worker_stopping).says(Kind::worker_ended);
    e.starts().passes(1h).says(Kind::watched);
    e.as(0).get("a").shows([](JobView& view) { view.job.state = JobState::dead; });
  });
  EXPECT_EQ(tally.convicted, 0U);
}

INSTANTIATE_TEST_SUITE_P(Rules, EngineHistories, testing::ValuesIn(cases),
                         [](const auto& info) { return test_name(info.param.rule); });
INSTANTIATE_TEST_SUITE_P(OfFlows, EngineHistories, testing::ValuesIn(flow_cases()),
                         [](const auto& info) { return test_name(info.param.rule); });

}  // namespace

std::vector<std::string_view> engine_rules_told() {
  std::vector<std::string_view> rules;
  for (const EngineCases& one : cases) rules.push_back(one.rule);
  for (const EngineCases& one : flow_cases()) rules.push_back(one.rule);
  return rules;
}

}  // namespace assay::told
