// The judge beside brute force: every order that real time allows, each judged as if nobody had
// overlapped. What no order explains is convicted, and nothing else.
//
// ASSAY_JUDGE_HISTORIES=100000 judge_test --gtest_filter='*BruteForce*' tries so many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "drivers/all.h"
#include "harness/contract/clock.h"
#include "harness/contract/random.h"
#include "harness/history/jsonl.h"
#include "harness/judge/reading.h"
#include "properties/all.h"
#include "tests/harness/judge/overlapping.h"
#include "tests/properties/judging.h"

namespace assay::told {
namespace {

// A few calls of three clients on two jobs, made one after the other on a faithful driver.
class Tiny {
 public:
  Tiny(const Profile& profile, std::uint64_t seed) : random_(seed) {
    driver_ =
        all_drivers()
            .front()
            .make({.profile = profile, .clock = clock_, .seed = seed, .url = {}, .scratch = {}})
            .value();
    EXPECT_TRUE(driver_->setup({"tiny"}).ok());
    for (const char* name : {"one", "two", "three"})
      sessions_.push_back(driver_->open({name, Role::worker}).value());
    history_.driver = "memory";
    history_.profile = profile;
    history_.clients = {"one", "two", "three"};
    for (std::uint64_t calls = 4 + random_.below(4); calls > 0; --calls) call(any_request());
  }
  History history() const { return history_; }

 private:
  std::string any_job() { return random_.below(3) == 0 ? "b" : "a"; }

  Hold any_hold() {
    Hold hold{any_job(), "forged", {}};
    if (!claims_.empty() && random_.below(5) > 0) {
      const Claim& claim = claims_[random_.below(claims_.size())];
      hold = {claim.job.id, claim.token, claim.attempt};
    }
    return hold;
  }

  Request any_request() {
    const bool by_engine = history_.profile.decider == Decider::engine;
    switch (random_.below(10)) {
      case 0:
      case 1:
        return Enqueue{{.id = any_job(), .queue = "q", .type = "t", .payload = "p"}};
      case 2:
      case 3:
      case 4: {
        Reserve reserve{{"q"}, Duration{1000}, "w", 1, {}};
        if (history_.profile.claim_style == ClaimStyle::by_id) reserve.job_id = any_job();
        return reserve;
      }
      case 5:
        return Ack{any_hold()};
      case 6:
        if (by_engine) return Retry{any_hold(), clock_.now(), 1, "e"};
        return Nack{any_hold(), "e", false};
      case 7:
        return Extend{any_hold(), Duration{5000}};
      case 8:
        clock_.advance(Duration{1000});
        history_.events.push_back(ClockEvent{clock_.now()});
        return Get{any_job()};
      default:
        return Get{any_job()};
    }
  }

  void call(const Request& request) {
    const OpId op = next_++;
    const int client = static_cast<int>(random_.below(3));
    const Instant now = clock_.now();
    history_.events.push_back(CallEvent{op, client, now, request});
    const auto answer = perform(*sessions_[static_cast<std::size_t>(client)], now, request);
    ReturnEvent end{op, OutcomeKind::ok, {}, {}};
    if (answer.ok()) {
      end.response = *answer;
      if (const auto* claimed = std::get_if<Claims>(&end.response))
        claims_.insert(claims_.end(), claimed->claims.begin(), claimed->claims.end());
    } else {
      end.outcome = OutcomeKind::refused;
      end.error = answer.error();
    }
    history_.events.push_back(end);
  }

  Random random_;
  VirtualClock clock_{run_epoch};
  std::unique_ptr<Driver> driver_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<Claim> claims_;
  History history_;
  OpId next_ = 0;
};

// Another answer than the one that was given.
void alter(History& history, Random& random) {
  std::vector<ReturnEvent*> ends;
  for (Event& event : history.events)
    if (auto* end = std::get_if<ReturnEvent>(&event)) ends.push_back(end);
  ReturnEvent& end = *ends[random.below(ends.size())];
  if (end.outcome == OutcomeKind::refused) {
    end = {end.op, OutcomeKind::ok, Done{}, {}};
    for (const Event& event : history.events) {
      const auto* call = std::get_if<CallEvent>(&event);
      if (!call || call->op != end.op) continue;
      // Accepted, it is wrong at any time; one client at a time is told so only while the job is
      // held.
      Change kind{};
      const Hold* hold = hold_of(call->request, kind);
      if (hold && hold->token == "forged")
        end = {end.op, OutcomeKind::refused, {}, assay::not_found("altered")};
      else if (const auto* r = std::get_if<Extend>(&call->request))
        end.response = Extended{call->now + r->lease};
      else if (const auto* e = std::get_if<Enqueue>(&call->request))
        end.response = Enqueued{e->job.id.value_or("x"), false};
      else if (std::holds_alternative<Nack>(call->request))
        end.response = Nacked{JobState::ready, call->now};
      else if (!std::holds_alternative<Ack>(call->request) &&
               !std::holds_alternative<Retry>(call->request))
        end = {end.op, OutcomeKind::refused, {}, assay::conflict("altered")};
    }
    return;
  }
  if (auto* claims = std::get_if<Claims>(&end.response); claims && !claims->claims.empty()) {
    Claim& claim = claims->claims.front();
    if (random.below(2) == 0)
      claim.job.id = claim.job.id == "a" ? "b" : "a";
    else
      claim.job.attempts += 1;
  } else if (auto* view = std::get_if<JobView>(&end.response)) {
    view->job.state = static_cast<JobState>(random.below(6));
  } else {
    end = {end.op, OutcomeKind::refused, {}, assay::lease_lost(LeaseReason::mismatch, "altered")};
  }
}

struct Call {
  CallEvent call;
  ReturnEvent end;
  std::size_t began, ended;
};

std::vector<Call> calls_of(const History& history) {
  std::vector<Call> calls;
  for (std::size_t i = 0; i < history.events.size(); ++i)
    if (const auto* call = std::get_if<CallEvent>(&history.events[i]))
      calls.push_back({*call, {}, i, 0});
  for (std::size_t i = 0; i < history.events.size(); ++i)
    if (const auto* end = std::get_if<ReturnEvent>(&history.events[i]))
      for (Call& call : calls)
        if (call.call.op == end->op) call.end = *end, call.ended = i;
  return calls;
}

// Rules of a whole queue, which are judged only where nobody overlaps.
bool is_of_a_job(const Finding& finding) {
  static const std::set<std::string> of_queues{"CLAIM-7",  "ENQ-4",    "SCHED-2", "SCHED-6",
                                               "LEASE-4",  "XLEASE-2", "DELIV-5", "ORDER-2",
                                               "XSCHED-1", "XLEASE-1"};
  return !of_queues.contains(finding.rule);
}

std::string lines_of(const History& history) {
  std::ostringstream lines;
  write_jsonl(history, lines);
  return lines.str();
}

struct Verdict {
  bool any_order = false;     // explains everything
  bool any_for_jobs = false;  // explains everything but what only queues promise
};

void each_order(const History& history, const std::vector<Call>& calls, std::vector<bool>& used,
                History& so_far, Verdict& verdict) {
  if (verdict.any_order) return;
  bool complete = true;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (used[i]) continue;
    complete = false;
    bool first = true;
    for (std::size_t j = 0; j < calls.size(); ++j)
      first = first && (used[j] || calls[j].ended >= calls[i].began);
    if (!first) continue;
    used[i] = true;
    so_far.events.push_back(calls[i].call);
    so_far.events.push_back(calls[i].end);
    each_order(history, calls, used, so_far, verdict);
    so_far.events.resize(so_far.events.size() - 2);
    used[i] = false;
  }
  if (!complete) return;
  const Judgement judgement = judge(so_far, all_properties());
  EXPECT_FALSE(judgement.overlapped);
  verdict.any_order |= judgement.findings.empty();
  verdict.any_for_jobs |= std::ranges::none_of(judgement.findings, is_of_a_job);
}

Verdict by_brute_force(const History& history) {
  const std::vector<Call> calls = calls_of(history);
  std::vector<bool> used(calls.size());
  History so_far = history;
  so_far.events.clear();
  // Moves of the clock happen between calls: none overlaps one, and calls know their own time.
  for (const Event& event : history.events)
    if (std::holds_alternative<ClockEvent>(event)) {
      so_far.events.push_back(event);
      break;
    }
  Verdict verdict;
  each_order(history, calls, used, so_far, verdict);
  return verdict;
}

class BruteForce : public testing::TestWithParam<std::string_view> {};

TEST_P(BruteForce, AgreesWithTheJudge) {
  const char* wanted = std::getenv("ASSAY_JUDGE_HISTORIES");
  const std::uint64_t count = wanted ? std::strtoull(wanted, nullptr, 10) / 5 : 300;
  const Profile profile = *built_in_profile(GetParam());
  std::uint64_t convicted = 0, explained = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Random random(seed ^ 0x5eed);
    History history = Tiny(profile, seed).history();
    if (seed % 3 != 0) alter(history, random);
    history = stretched(history, seed);
    const Verdict brute = by_brute_force(history);
    const Judgement judgement = judge(history, all_properties());
    ASSERT_EQ(judgement.undecided, 0u);
    if (brute.any_order) {
      ++explained;
      ASSERT_EQ(findings_of(judgement), "") << "seed " << seed << "\n" << lines_of(history);
    }
    if (!brute.any_for_jobs) {
      ++convicted;
      ASSERT_NE(findings_of(judgement), "") << "seed " << seed << "\n" << lines_of(history);
    }
  }
  EXPECT_GT(convicted * 20, count);
  EXPECT_GT(explained * 20, count);
}

INSTANTIATE_TEST_SUITE_P(Profiles, BruteForce, testing::ValuesIn(profile_names()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace assay::told
