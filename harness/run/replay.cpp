#include <fmt/format.h>

#include "harness/history/jsonl.h"
#include "harness/plan/generate.h"
#include "harness/run/certify.h"
#include "harness/run/detail/subject.h"
#include "harness/run/run.h"

namespace assay {
namespace {

// The first event whose part of the trace is another; none where the traces cannot tell.
std::optional<std::size_t> first_difference(std::string_view before, std::string_view now) {
  if (before.empty()) return std::nullopt;
  for (std::size_t at = 0; at < std::max(before.size(), now.size()); at += 2)
    if (at >= before.size() || at >= now.size() || before.substr(at, 2) != now.substr(at, 2))
      return at / 2;
  return std::nullopt;
}

std::string event_told(const History& history, std::size_t event) {
  if (event >= history.events.size()) return "it is missing now";
  return "it is now " + event_line(history.events[event], history.clients);
}

// How the run differs from the one that the token speaks of; empty where it does not.
std::string difference(const ReplayToken& token, const ReplayResult& result) {
  if (token.history_hash == 0) return "the token was written before its run: nothing to compare";
  if (token.history_hash == result.hash) return "";
  std::string text = fmt::format("the history's hash was {:016x} and is now {:016x}",
                                 token.history_hash, result.hash);
  const auto first = first_difference(token.history_trace, trace_of(result.history));
  if (!first) return text;
  return fmt::format("{}; event {} is the first that differs: {}", text, *first + 1,
                     event_told(result.history, *first));
}

// The first move in which two runs by a schedule differ; empty where none does.
std::string other_order(const std::vector<int>& before, const std::vector<int>& now,
                        const Plan& plan) {
  const auto name = [&](const std::vector<int>& moves, std::size_t at) -> std::string {
    if (at >= moves.size()) return "nobody";
    const auto client = static_cast<std::size_t>(moves[at]);
    return client < plan.clients.size() ? plan.clients[client].name : "another";
  };
  for (std::size_t at = 0; at < std::max(before.size(), now.size()); ++at)
    if (at >= before.size() || at >= now.size() || before[at] != now[at])
      return fmt::format("move {} was {}'s and is now {}'s", at + 1, name(before, at),
                         name(now, at));
  return "";
}

// How a run by round trips differs from the one that the token speaks of.
std::string other_trips(const ReplayToken& token, const Plan& plan, const ReplayResult& result) {
  if (token.history_hash == 0) return "the token was written before its run: nothing to compare";
  if (!token.rule.empty() && !result.convicted)
    return fmt::format("{} is not convicted by these moves", token.rule);
  if (plan.schedule->kind != Schedule::Kind::choices) return "";
  return other_order(plan.schedule->choices, result.moves, plan);
}

// The first event in which a second run differs from the first one; empty where none does.
std::string unsteady(const ReplayResult& first, const detail::CaseResult& second) {
  const auto at = first_difference(trace_of(first.history), trace_of(second.history));
  if (!at) return "";
  const auto told = [&](const History& history) {
    return *at < history.events.size() ? event_line(history.events[*at], history.clients)
                                       : std::string("missing");
  };
  return fmt::format("event {} was {} and then {}", *at + 1, told(first.history),
                     told(second.history));
}

void take(ReplayResult& result, detail::CaseResult ran) {
  result.history = std::move(ran.history);
  result.judgement = std::move(ran.judgement);
  result.hash = history_hash(result.history);
  result.trouble = ran.own_trouble ? ran.own_trouble : ran.driver_trouble;
  if (!result.trouble && ran.void_because)
    result.trouble = "a fault could not be made, or shows no effect: " + *ran.void_because;
  result.trips = std::move(ran.trips);
  result.moves = std::move(ran.moves);
}

bool convicts_again(const ReplayToken& token, const Judgement& judgement) {
  return token.rule.empty() ? !judgement.findings.empty() : detail::convicts(judgement, token.rule);
}

std::optional<OpId> convicted_call(const ReplayToken& token, const Judgement& judgement) {
  for (const Finding& finding : judgement.findings)
    if (token.rule.empty() || finding.rule == token.rule) {
      if (finding.at) return finding.at;
      return finding.ops.empty() ? std::nullopt : std::optional(finding.ops.back());
    }
  return std::nullopt;
}

// What is shown is the first run that convicts, or the last one.
ReplayResult replay_freely(const ReplayToken& token, const Plan& plan, detail::Subject& subject) {
  constexpr int runs_enough = 100, runs_at_most = 1000;
  constexpr double seconds = 20;
  ReplayResult result;
  result.free = true;
  result.runs = 0;
  const Stopwatch watch;
  while (result.runs < (result.convicted ? runs_enough : runs_at_most) &&
         watch.seconds() < seconds && !result.trouble) {
    detail::CaseResult ran = subject.run(plan);
    ++result.runs;
    const bool again = !ran.void_because && convicts_again(token, ran.judgement);
    if (again) ++result.convictions;
    if (!again && ran.judgement.undecided > 0) ++result.undecided;
    if (!result.convicted) take(result, std::move(ran));
    result.convicted = result.convicted || again;
  }
  result.match = result.convicted || token.rule.empty();
  if (!result.match)
    result.divergence = fmt::format(
        "{} was convicted in none of {} runs: who is faster decides, and it may take more of them",
        token.rule, result.runs);
  return result;
}

}  // namespace

ReplayResult replay(const ReplayToken& token, const DriverInfo& driver, const Parts& parts,
                    const ReplayOptions& options) {
  ReplayResult result;
  if (!token.plan && !token.plan_seed) {
    result.trouble = "the token carries neither a plan nor the seed of one";
    return result;
  }
  const EngineInfo* engine = nullptr;
  if (!token.engine.empty()) {
    engine = find_engine(parts.engines, token.engine);
    if (!engine) {
      result.trouble = "the token's engine is not known here: " + token.engine;
      return result;
    }
  }
  detail::Subject subject({.info = &driver,
                           .name = token.driver,
                           .profile = token.profile,
                           .seed = token.driver_seed,
                           .url = options.driver_url,
                           .scratch = options.scratch,
                           .log_folder = {},
                           .properties = parts.properties,
                           .faults = parts.faults,
                           .backend = options.server,
                           .disk = options.disk,
                           .why_no_disk = options.why_no_disk,
                           .make_lines = options.make_lines,
                           .engine = engine,
                           .worker_program = options.worker_program});
  Plan plan = token.plan        ? *token.plan
              : token.plan_free ? generate_free(token.profile, *token.plan_seed)
                                : generate(token.profile, *token.plan_seed);
  if (token.schedule) plan.schedule = token.schedule;
  if (!repeats_exactly(plan, token.profile)) return replay_freely(token, plan, subject);
  detail::CaseResult ran = subject.run(plan);
  result.undecided = ran.judgement.undecided > 0 ? 1 : 0;
  take(result, std::move(ran));
  result.convicted = !token.rule.empty() && detail::convicts(result.judgement, token.rule);
  result.by_trips = subject.goes_by_trips(plan);
  result.divergence =
      result.by_trips ? other_trips(token, plan, result) : difference(token, result);
  result.match = result.divergence.empty();
  if (options.twice && !result.trouble) {
    const detail::CaseResult again = subject.run(plan);
    result.unsteady =
        result.by_trips ? other_order(result.moves, again.moves, plan) : unsteady(result, again);
  }
  if (options.before_call && !result.trouble) {
    subject.before_call([&, at = convicted_call(token, result.judgement)](OpId op) {
      options.before_call(op, at);
    });
    static_cast<void>(subject.run(plan));
  }
  return result;
}

}  // namespace assay
