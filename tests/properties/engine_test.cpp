// The rules of an engine, on histories told by hand: three for each.
#include <gtest/gtest.h>

#include "harness/judge/judge.h"
#include "properties/all.h"
#include "tests/properties/engine_cases.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

using Kind = EngineEvent::Kind;

// A worker "w" for queues "q" and "p" and jobs of type "t", whose calls are client 1's.
class Engine : public Told {
 public:
  explicit Engine(std::string_view profile) : Told(profile) {
    this->profile.capabilities.insert({"concurrency_limit", "rate_limit"});
    happens({.kind = Kind::begins});
  }

  Engine& starts(std::map<std::string, std::int64_t> numbers = {}) {
    numbers.merge(std::map<std::string, std::int64_t>{{"lease_ms", 30'000},
                                                      {"concurrency", 2},
                                                      {"grace_ms", 10'000},
                                                      {"interruption_ms", 5'000},
                                                      {"poll_ms", 2'000},
                                                      {"outage_ms", 30'000}});
    happens({.kind = Kind::worker_started,
             .worker = "w",
             .word = "t;q,p",
             .numbers = std::move(numbers)});
    happens({.kind = Kind::worker_connected, .worker = "w", .client = 1});
    return *this;
  }
  Engine& says(Kind kind) {
    happens({.kind = kind, .worker = "w"});
    return *this;
  }
  Engine& of_job(Kind kind, const JobId& id, std::string word = "", std::int64_t run = 1) {
    happens({.kind = kind, .worker = "w", .job_id = id, .run = run, .word = std::move(word)});
    return *this;
  }
  Engine& began(const JobId& id, std::int64_t run = 1) {
    return of_job(Kind::handler_began, id, "", run);
  }
  Engine& stops(const JobId& id, std::string why) {
    return of_job(Kind::handler_told_to_stop, id, std::move(why));
  }
  Engine& ended(const JobId& id, std::string how = "ok", std::int64_t run = 1) {
    return of_job(Kind::handler_ended, id, std::move(how), run);
  }
  // From its enqueue to its handler's beginning.
  Engine& runs(const JobId& id) { return runs(NewJob{.id = id, .queue = "q", .type = "t"}); }
  Engine& runs(NewJob job) {
    const JobId id = *job.id;
    as(0).enqueue(std::move(job)).ok();
    as(1).claim(id);
    return began(id);
  }
  Engine& passes(Duration length) {
    advance(length);
    return *this;
  }
  Engine& beats(const JobId& id) {
    extend(id).ok();
    return *this;
  }
  Engine& acked(const JobId& id) {
    ack(id).ok();
    return *this;
  }
  Engine& away() {
    store_goes();
    return *this;
  }
  Engine& back() {
    store_comes_back();
    return *this;
  }
};

using Play = void (*)(Engine&);

struct EngineCases {
  std::string_view rule;
  std::string_view profile;
  Play holds, convicts, unknown;
};

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

class EngineHistories : public testing::TestWithParam<EngineCases> {
 protected:
  static Judgement judged(Play play) {
    Engine engine(GetParam().profile);
    play(engine);
    return judge(engine.history(), all_properties());
  }
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

INSTANTIATE_TEST_SUITE_P(Rules, EngineHistories, testing::ValuesIn(cases),
                         [](const auto& info) { return test_name(info.param.rule); });

}  // namespace

std::vector<std::string_view> engine_rules_told() {
  std::vector<std::string_view> rules;
  for (const EngineCases& one : cases) rules.push_back(one.rule);
  return rules;
}

}  // namespace assay::told
