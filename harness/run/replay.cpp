#include <fmt/format.h>

#include "harness/history/jsonl.h"
#include "harness/plan/generate.h"
#include "harness/run/certify.h"
#include "harness/run/detail/subject.h"

namespace assay {
namespace {

std::string first_difference(const History& before, const History& now) {
  const std::size_t both = std::min(before.events.size(), now.events.size());
  for (std::size_t i = 0; i < both; ++i)
    if (before.events[i] != now.events[i])
      return fmt::format("event {} was {} and is now {}", i + 1, event_line(before.events[i]),
                         event_line(now.events[i]));
  if (before.events.size() == now.events.size()) return "";
  const bool longer = now.events.size() > both;
  return fmt::format("event {} {}: {}", both + 1, longer ? "is new" : "is missing now",
                     event_line((longer ? now : before).events[both]));
}

// How the run differs from the one that the token speaks of; empty where it does not.
std::string difference(const ReplayToken& token, const ReplayResult& result,
                       const History* original) {
  if (token.history_hash == 0) return "the token was written before its run: nothing to compare";
  if (token.history_hash == result.hash) return "";
  std::string text = fmt::format("the history's hash was {:016x} and is now {:016x}",
                                 token.history_hash, result.hash);
  if (!original) return text;
  const std::string where = first_difference(*original, result.history);
  return where.empty() ? text + "; the given history is not the token's" : where;
}

}  // namespace

ReplayResult replay(const ReplayToken& token, const DriverInfo& driver, const Parts& parts,
                    const std::string& scratch, const History* original) {
  ReplayResult result;
  if (!token.plan && !token.plan_seed) {
    result.trouble = "the token carries neither a plan nor the seed of one";
    return result;
  }
  detail::Subject subject({.info = &driver,
                           .name = token.driver,
                           .profile = token.profile,
                           .seed = token.driver_seed,
                           .url = std::nullopt,
                           .scratch = scratch,
                           .properties = parts.properties});
  detail::CaseResult ran =
      subject.run(token.plan ? *token.plan : generate(token.profile, *token.plan_seed));
  result.history = std::move(ran.history);
  result.judgement = std::move(ran.judgement);
  result.hash = history_hash(result.history);
  result.trouble = ran.own_trouble ? ran.own_trouble : ran.driver_trouble;
  result.convicted = !token.rule.empty() && detail::convicts(result.judgement, token.rule);
  result.divergence = difference(token, result, original);
  result.match = result.divergence.empty();
  return result;
}

}  // namespace assay
