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
    this->profile.capabilities.insert({"concurrency_limit", "cron", "rate_limit", "workflows"});
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
  // --- a scheduler "s" and a caller "c", whose calls are client 2's ---

  Engine& another(const char* name, std::map<std::string, std::int64_t> numbers) {
    happens(
        {.kind = Kind::worker_started, .worker = name, .word = ";", .numbers = std::move(numbers)});
    happens({.kind = Kind::worker_connected, .worker = name, .client = 2});
    return *this;
  }
  Engine& schedulers() {
    return another("s", {{"scheduler", 1}, {"poll_ms", 2'000}, {"outage_ms", 30'000}});
  }
  Engine& schedules(std::string what) {
    schedulers();
    happens({.kind = Kind::schedule_declared, .word = std::move(what)});
    return *this;
  }
  Engine& fires(const std::vector<JobId>& ids);
  Engine& asks(std::int64_t number, std::string what) {
    if (number == 1) another("c", {});
    happens({.kind = Kind::caller_asked, .worker = "c", .run = number, .word = std::move(what)});
    return *this;
  }
  Engine& is_told(std::int64_t number, std::string how, JobId id) {
    EngineEvent told{.kind = Kind::caller_answered, .worker = "c"};
    told.run = number;
    told.word = std::move(how);
    told.job_id = std::move(id);
    happens(std::move(told));
    return *this;
  }

  // And fails at once.
  Engine& fails(const JobId& id) { return fails(NewJob{.id = id, .queue = "q", .type = "t"}); }
  Engine& fails(NewJob job) {
    const JobId id = *job.id;
    return starts().runs(std::move(job)).ended(id, "failed");
  }
  // For another run, which fails, too.
  Engine& comes_back(const JobId& id, std::int64_t run) {
    passes(1s).as(1).claim(id);
    return began(id, run).ended(id, "failed", run);
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

inline NewJob of_schedule(const JobId& id) {
  return {.id = id, .queue = "q", .type = "t", .payload = "ok recurs:r"};
}
inline NewJob of_order(const JobId& id, int number, std::optional<std::string> key) {
  return {.id = id,
          .queue = "q",
          .type = "t",
          .payload = "ok order:" + std::to_string(number),
          .key = std::move(key)};
}

// In one commit.
inline Engine& Engine::fires(const std::vector<JobId>& ids) {
  for (const JobId& id : ids) as(2).enqueue(of_schedule(id)).ok();
  return *this;
}

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
