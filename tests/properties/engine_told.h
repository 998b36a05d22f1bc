// Engine: a history of an engine's worker told by hand, and what it takes to try a rule of an
// engine on three of them.
#pragma once

#include <gtest/gtest.h>

#include "harness/judge/judge.h"
#include "properties/all.h"
#include "tests/properties/engine_cases.h"
#include "tests/properties/judging.h"

namespace assay::told {

// A worker "w" for queues "q" and "p" and jobs of type "t", whose calls are client 1's.
class Engine : public Told {
 public:
  using Kind = EngineEvent::Kind;

  explicit Engine(std::string_view profile) : Told(profile) {
    this->profile.capabilities.insert({"concurrency_limit", "rate_limit", "workflows"});
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

// Of outputs and flows: tests/properties/flow_cases.cpp.
std::vector<EngineCases> flow_cases();

class EngineHistories : public testing::TestWithParam<EngineCases> {
 protected:
  static Judgement judged(Play play) {
    Engine engine(GetParam().profile);
    play(engine);
    return judge(engine.history(), all_properties());
  }
};

}  // namespace assay::told
