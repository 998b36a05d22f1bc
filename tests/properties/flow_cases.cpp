// The rules of outputs and flows, on histories told by hand: three for each.
#include "tests/properties/engine_told.h"

namespace assay::told {
namespace {

using Kind = EngineEvent::Kind;

constexpr const char* chain = "f = chain(a: ok, b: ok)";
constexpr const char* group = "f = group(a: ok, b: ok)";
constexpr const char* chord = "f = chord(a: ok, b: ok; c: ok)";

NewJob step(const std::string& name, const std::string& copy = "") {
  return {.id = name + copy, .queue = "q", .type = "t", .payload = "@f/" + name + " ok"};
}

void declares(Engine& e, const char* flow) {
  e.starts().happens({.kind = Kind::flow_declared, .word = flow});
  e.happens({.kind = Kind::flow_answered, .word = "f ok made"});
}

void done(Engine& e, const std::string& name) { e.runs(step(name)).ended(name).acked(name); }

// It has ended, and whether that was taken nobody knows.
void perhaps_done(Engine& e, const std::string& name) {
  e.runs(step(name)).ended(name).ack(name).unknown();
  e.of_job(Kind::surfaced, name, "unavailable");
}

void seen(Engine& e, Kind kind, std::string word) {
  e.happens({.kind = kind, .word = std::move(word)});
}

// --- outputs ---

void asks(Engine& e, const std::string& what, std::int64_t run = 1) {
  e.of_job(Kind::output_asked, "a", what, run);
}
void answers(Engine& e, const std::string& what, std::int64_t run = 1) {
  e.of_job(Kind::output_answered, "a", what, run);
}
void outputs(Engine& e, const std::vector<std::string>& all) {
  e.happens({.kind = Kind::outputs_seen, .job_id = "a", .word = "ok"});
  for (const std::string& one : all)
    e.happens({.kind = Kind::output_seen, .job_id = "a", .word = one, .numbers = {{"version", 1}}});
}

// Its first run commits c, and fails.
void commits_and_fails(Engine& e) {
  e.starts().runs("a");
  asks(e, "commit c a#1.1");
  answers(e, "commit c a#1.1 ok a#1.1");
  e.ended("a", "failed").retry("a", 0s, 1).ok();
  e.claim("a");
  e.began("a", 2);
  asks(e, "commit c a#2.1", 2);
}

// It is to write two, and its worker dies at the moment when they are.
void writes_two(Engine& e) {
  e.starts().runs("a");
  for (const char* name : {"p", "q"}) {
    asks(e, std::string("put ") + name + " a#1." + name);
    answers(e, std::string("put ") + name + " a#1." + name + " ok a#1." + name);
  }
  e.ended("a");
}

// It is told that its lease is over, and goes on.
void loses_its_lease(Engine& e) {
  e.starts().runs("a").says(Kind::line_lost).passes(30s).stops("a", "lease_lost");
  e.says(Kind::line_back);
  asks(e, "commit c a#1.1");
}

const EngineCases cases[] = {
    {"FLOW-1", "reference",
     [](Engine& e) {
       declares(e, chain);
       done(e, "a");
       done(e, "b");
     },
     [](Engine& e) {
       declares(e, chain);
       e.runs(step("a")).as(0).enqueue(step("b")).ok();
     },
     [](Engine& e) {
       declares(e, chain);
       perhaps_done(e, "a");
       done(e, "b");
     }},
    {"ORDER-7", "reference",
     [](Engine& e) {
       declares(e, chain);
       done(e, "a");
       done(e, "b");
     },
     [](Engine& e) {
       declares(e, chain);
       e.runs(step("a")).ended("a", "failed").retry("a", 1s, 1).ok();
       done(e, "b");
     },
     [](Engine& e) {
       declares(e, chain);
       perhaps_done(e, "a");
       done(e, "b");
     }},
    {"FLOW-2", "reference",
     [](Engine& e) {
       declares(e, group);
       e.as(0).enqueue(step("a")).ok().enqueue(step("b")).ok();
     },
     [](Engine& e) {
       declares(e, group);
       e.runs(step("a")).passes(5s).ended("a").acked("a").as(0).enqueue(step("b")).ok();
     },
     // It may have been enqueued with the other.
     [](Engine& e) {
       declares(e, group);
       e.as(0).enqueue(step("a")).ok().enqueue(step("b")).unknown();
       e.as(1).claim("a");
       e.began("a").passes(5s).ended("a").acked("a");
     }},
    {"FLOW-3", "reference",
     [](Engine& e) {
       declares(e, chord);
       for (const char* name : {"a", "b", "c"}) done(e, name);
     },
     [](Engine& e) {
       declares(e, chord);
       done(e, "a");
       e.runs(step("b")).runs(step("c"));
     },
     [](Engine& e) {
       declares(e, chord);
       done(e, "a");
       perhaps_done(e, "b");
       e.runs(step("c"));
     }},
    {"XFLOW-3", "reference",
     [](Engine& e) {
       declares(e, chord);
       e.runs(step("a")).ended("a", "failed").retry("a", 0s, 1).ok();
       e.claim("a");
       e.began("a", 2).ended("a", "ok", 2).acked("a");
       done(e, "b");
       done(e, "c");
     },
     [](Engine& e) {
       declares(e, chord);
       done(e, "a");
       done(e, "b");
       done(e, "c");
       e.as(0).enqueue(step("c", "2")).ok();
     },
     [](Engine& e) {
       declares(e, chord);
       done(e, "a");
       done(e, "b");
       done(e, "c");
       e.as(0).enqueue(step("c", "2")).unknown();
     }},
    {"FLOW-4", "reference",
     [](Engine& e) {
       declares(e, chain);
       e.runs(step("a")).says(Kind::worker_died).passes(31s).starts().claim("a");
       e.began("a", 2).ended("a", "ok", 2).acked("a");
       done(e, "b");
       e.says(Kind::watched);
     },
     [](Engine& e) {
       declares(e, chain);
       e.runs(step("a")).says(Kind::worker_died).passes(31s).starts().claim("a");
       e.began("a", 2).ended("a", "ok", 2).acked("a").passes(1h).says(Kind::watched);
     },
     [](Engine& e) {
       declares(e, chain);
       e.runs(step("a")).says(Kind::worker_died).passes(31s).starts().claim("a");
       e.began("a", 2).ended("a", "ok", 2).ack("a").unknown();
       e.of_job(Kind::surfaced, "a", "unavailable", 2).passes(1h).says(Kind::watched);
     }},
    {"FLOW-5", "reference",
     [](Engine& e) {
       declares(e, chain);
       done(e, "a");
       done(e, "b");
       seen(e, Kind::flow_seen, "f done");
       seen(e, Kind::member_seen, "f/b succeeded");
     },
     [](Engine& e) {
       declares(e, chain);
       done(e, "a");
       done(e, "b");
       seen(e, Kind::flow_seen, "f running");
       seen(e, Kind::member_seen, "f/b enqueued");
     },
     [](Engine& e) {
       declares(e, chain);
       done(e, "a");
       perhaps_done(e, "b");
       seen(e, Kind::flow_seen, "f running");
       seen(e, Kind::member_seen, "f/b enqueued");
     }},
    {"EFFECT-1", "reference",
     [](Engine& e) {
       commits_and_fails(e);
       answers(e, "commit c a#2.1 ok a#1.1", 2);
       e.ended("a", "ok", 2).acked("a");
       outputs(e, {"c a#1.1"});
     },
     [](Engine& e) {
       commits_and_fails(e);
       answers(e, "commit c a#2.1 ok a#2.1", 2);
       e.ended("a", "ok", 2).acked("a");
       outputs(e, {"c a#2.1"});
     },
     // Whether the first one was written nobody knows.
     [](Engine& e) {
       e.starts().runs("a");
       asks(e, "commit c a#1.1");
       answers(e, "commit c a#1.1 unavailable");
       e.ended("a", "failed").retry("a", 0s, 1).unknown();
       e.of_job(Kind::surfaced, "a", "unavailable").retry("a", 0s, 1).ok();
       e.claim("a");
       e.began("a", 2);
       asks(e, "commit c a#2.1", 2);
       answers(e, "commit c a#2.1 ok a#2.1", 2);
       e.ended("a", "ok", 2).acked("a");
       outputs(e, {"c a#2.1"});
     }},
    {"EFFECT-2", "reference",
     [](Engine& e) {
       writes_two(e);
       e.acked("a").says(Kind::worker_died);
       outputs(e, {"p a#1.p", "q a#1.q"});
     },
     [](Engine& e) {
       writes_two(e);
       e.acked("a").says(Kind::worker_died);
       outputs(e, {"p a#1.p"});
     },
     [](Engine& e) {
       writes_two(e);
       e.ack("a").unknown();
       e.says(Kind::worker_died);
       outputs(e, {});
     }},
    {"FENCE-9", "reference",
     [](Engine& e) {
       loses_its_lease(e);
       answers(e, "commit c a#1.1 lease_lost");
       outputs(e, {});
     },
     [](Engine& e) {
       loses_its_lease(e);
       answers(e, "commit c a#1.1 ok a#1.1");
       outputs(e, {"c a#1.1"});
     },
     // The heartbeat may have been taken.
     [](Engine& e) {
       e.starts().runs("a").says(Kind::line_lost).passes(10s).extend("a").unknown();
       e.passes(20s).stops("a", "lease_lost").says(Kind::line_back);
       asks(e, "commit c a#1.1");
       answers(e, "commit c a#1.1 ok a#1.1");
       outputs(e, {"c a#1.1"});
     }},
};

// A claim without an answer may have taken b, whose lease is over then.
std::uint64_t convicted_after(bool claims, Duration since) {
  Engine e("reference");
  declares(e, "f = go_on chord(a: ok, b: ok; c: ok)");
  done(e, "a");
  e.as(0).enqueue(step("b")).ok();
  if (claims) e.as(1).reserve().unknown();
  e.passes(since).runs(step("c"));
  return judge(e.history(), all_properties()).tallies.of("FLOW-3").convicted;
}

TEST(ChordsThatGoOn, MayLoseAMemberThatNobodyRan) {
  EXPECT_EQ(convicted_after(true, 31s), 0u);
  EXPECT_EQ(convicted_after(true, 29s), 1u);
  EXPECT_EQ(convicted_after(false, 31s), 1u);
}

}  // namespace

std::vector<EngineCases> flow_cases() { return {std::begin(cases), std::end(cases)}; }

}  // namespace assay::told
