// ScriptedDriver: a driver that answers as the test says, and remembers what it was asked.
//
// Sessions may be opened and closed by any thread.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "harness/contract/driver.h"

namespace assay::fakes {

class ScriptedDriver final : public Driver {
 public:
  // What every call of every session is answered with; the name is the session's.
  using Script =
      std::function<Result<Response>(const std::string& session, Instant, const Request&)>;

  Profile claims;
  Script script;
  Instant clock = run_epoch;
  Duration clock_slips{0};              // added to every advance
  std::optional<Error> setup_answer;    // absent: success
  std::optional<Error> open_answer;     // absent: success
  std::optional<Error> health_answer;   // absent: whole
  std::optional<Error> advance_answer;  // absent: success
  std::function<bool()> is_broken = [] { return false; };  // asked by any thread
  ClientProcess* process = nullptr;                        // behind every session
  std::function<void()> abandoned = [] {};
  std::vector<std::string> life;        // "setup", "open w1", "close w1", "teardown", in order

  const Profile& profile() const override { return claims; }
  Status setup(const Setup&) override {
    life.push_back("setup");
    if (setup_answer) return *setup_answer;
    return Done{};
  }
  Status teardown() override {
    life.push_back("teardown");
    return Done{};
  }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override {
    remember("open " + spec.name);
    if (open_answer) return *open_answer;
    return std::unique_ptr<Session>(std::make_unique<Scripted>(*this, spec.name));
  }
  Status health() override {
    if (is_broken()) return Error{ErrorCode::internal, "it is broken", LeaseReason::unstated, false};
    if (health_answer) return *health_answer;
    return Done{};
  }
  Result<Instant> now() override { return clock; }
  Result<Instant> advance(Duration by) override {
    life.push_back("advance " + std::to_string(by.count()));
    if (advance_answer) return *advance_answer;
    return clock += by + clock_slips;
  }

 private:
  void remember(std::string what) {
    const std::lock_guard lock(mutex_);
    life.push_back(std::move(what));
  }

  std::mutex mutex_;  // of life

  class Scripted final : public Session {
   public:
    Scripted(ScriptedDriver& driver, std::string name) : driver_(driver), name_(std::move(name)) {}

    Result<Enqueued> enqueue(Instant now, const Enqueue& r) override {
      return ask<Enqueued>(now, r);
    }
    Result<Claims> reserve(Instant now, const Reserve& r) override { return ask<Claims>(now, r); }
    Result<Extended> extend(Instant now, const Extend& r) override { return ask<Extended>(now, r); }
    Status ack(Instant now, const Ack& r) override { return ask<Done>(now, r); }
    Status retry(Instant now, const Retry& r) override { return ask<Done>(now, r); }
    Status fail(Instant now, const Fail& r) override { return ask<Done>(now, r); }
    Result<Nacked> nack(Instant now, const Nack& r) override { return ask<Nacked>(now, r); }
    Result<JobView> get(Instant now, const Get& r) override { return ask<JobView>(now, r); }
    Result<JobPage> list(Instant now, const List& r) override { return ask<JobPage>(now, r); }
    Result<DeadPage> dead(Instant now, const Dead& r) override { return ask<DeadPage>(now, r); }
    Result<Requeued> requeue(Instant now, const Requeue& r) override {
      return ask<Requeued>(now, r);
    }
    Status close() override {
      driver_.remember("close " + name_);
      return Done{};
    }

    ClientProcess* process() override { return driver_.process; }
    void abandon() override { driver_.abandoned(); }

   private:
    template <class Answer>
    Result<Answer> ask(Instant now, const Request& request) {
      auto answer = driver_.script(name_, now, request);
      if (!answer.ok()) return answer.error();
      return std::get<Answer>(*answer);
    }

    ScriptedDriver& driver_;
    std::string name_;
  };
};

}  // namespace assay::fakes
