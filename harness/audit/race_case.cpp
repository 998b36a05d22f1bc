// Several clients at once: the rules that need it, judged by what they were answered.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "harness/audit/detail/crash_case.h"

namespace assay::detail {
namespace {

constexpr std::size_t clients = 4;
constexpr int rounds = 25;
constexpr int tries = 200;  // a call that others were faster than is made again, so often

class Race {
 public:
  Race(AuditCell& cell, Instant now) : now_(now), cell_(cell) {}

  Status open(Driver& driver) {
    for (std::size_t i = 0; i < clients; ++i) {
      auto session = driver.open({fmt::format("racer{}", i), Role::worker});
      if (!session) return session.error();
      sessions_.push_back(std::move(*session));
    }
    return Done{};
  }

  // One job, all ask for it at once; then its lease is over, and all ask again.
  void claims() {
    for (int round = 0; round < rounds; ++round) {
      static_cast<void>(ask(0, Enqueue{NewJob{.queue = "race", .type = "t"}}));
      expect("CLAIM-1", delivered(Reserve{{"race"}, Duration{1000}, "", 1, {}}) <= 1,
             "several clients that asked at once got the same job");
      now_ += Duration{2000};
      Claims last;
      expect("XLEASE-3", delivered(Reserve{{"race"}, Duration{1000}, "", 1, {}}, &last) <= 1,
             "several clients that asked at once got the same job, whose lease was over");
      for (const Claim& claim : last.claims)
        static_cast<void>(ask(0, Ack{{claim.job.id, claim.token, claim.attempt}}));
    }
  }

  void keys() {
    for (int round = 0; round < rounds; ++round) {
      const std::string key = fmt::format("key{}", round);
      std::map<JobId, int> made;
      int fresh = 0;
      at_once([&](std::size_t i) {
        const auto answer = ask(i, Enqueue{NewJob{.queue = "keyed", .type = "t", .key = key}});
        const std::lock_guard lock(mutex_);
        if (!answer.ok()) return;
        ++made[std::get<Enqueued>(*answer).id];
        fresh += std::get<Enqueued>(*answer).existed ? 0 : 1;
      });
      expect("IDEMP-10", made.size() <= 1 && fresh <= 1, "one key made several jobs");
    }
  }

  std::optional<Error> trouble() const { return trouble_; }

 private:
  // A call that was refused because others were faster changed nothing, and is made again.
  Result<Response> ask(std::size_t client, const Request& request) {
    for (int tried = 0;; ++tried) {
      auto answer = perform(*sessions_[client], now_, request);
      const std::lock_guard lock(mutex_);
      ++cell_.operations;
      if (answer.ok()) return answer;
      const bool again =
          answer.error().code == ErrorCode::unavailable && is_definite(answer.error());
      if (!again || tried == tries) {
        if (answer.error().code == ErrorCode::unavailable && !trouble_) trouble_ = answer.error();
        return answer;
      }
      ++cell_.refused;
    }
  }

  void at_once(const std::function<void(std::size_t)>& call) {
    std::barrier start(static_cast<std::ptrdiff_t>(clients));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < clients; ++i)
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        call(i);
      });
  }

  int delivered(const Reserve& request, Claims* all = nullptr) {
    std::atomic<int> count = 0;
    at_once([&](std::size_t i) {
      auto answer = ask(i, request);
      if (!answer.ok()) return;
      const std::lock_guard lock(mutex_);
      for (Claim& claim : std::get<Claims>(*answer).claims) {
        ++count;
        if (all) all->claims.push_back(std::move(claim));
      }
    });
    return count;
  }

  void expect(const std::string& rule, bool holds, const char* story) {
    AuditRule& entry = cell_.rules[rule];
    ++entry.triggered;
    if (!holds && entry.convicted++ == 0) entry.story = story;
  }

  Instant now_;
  AuditCell& cell_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::mutex mutex_;
  std::optional<Error> trouble_;
};

}  // namespace

Status race_case(AuditedStore& store, const AuditOptions& options, std::uint64_t number,
                 AuditCell& cell) {
  auto driver = store.driver(options.seed + number, false);
  if (!driver) return driver.error();
  if (Status ready = (*driver)->setup({fmt::format("race_{}", number)}); !ready) return ready;
  const Profile& profile = (*driver)->profile();
  {
    Race race(cell, run_epoch);
    if (Status opened = race.open(**driver); !opened) return opened;
    if (profile.clock == ClockKnob::caller && profile.claim_style == ClaimStyle::next)
      race.claims();
    if (profile.idem != Idem::none) race.keys();
    if (const auto trouble = race.trouble()) return *trouble;
  }
  ++cell.cases;
  return (*driver)->teardown();
}

}  // namespace assay::detail
