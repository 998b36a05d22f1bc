#include "engine/detail/limits.h"

#include <algorithm>

#include "engine/failure.h"
#include "harness/contract/check.h"

namespace assay::engine::detail {

Limits::Limits(const std::map<std::string, HandlerSpec>& handlers, Instant now) : now_(now) {
  for (const auto& [name, spec] : handlers)
    types_[name] = {spec.concurrency, spec.rate, 0, now, {}};
}

// A bucket that lacks n tokens is full n intervals from now. One can be taken while it lacks fewer
// than all of them.
Limits::Answer Limits::ask(const Type& type, Instant now) {
  if (type.concurrency && type.running >= *type.concurrency)
    return {Hindrance::no_capacity, std::nullopt};
  if (!type.rate) return {};
  // It never lacks more than all of them: else the clock was set back.
  const Instant full_at = std::min(type.full_at, later(now, type.rate->every * type.rate->burst));
  const Instant again_at = full_at - type.rate->every * (type.rate->burst - 1);
  if (again_at > now) return {Hindrance::rate_limited, again_at};
  return {};
}

Limits::Answer Limits::ask(const std::string& type, Instant now) {
  now_ = now;
  const auto found = types_.find(type);
  return found == types_.end() ? Answer{} : ask(found->second, now);
}

Instant Limits::promise(const std::string& type) {
  Type& limited = types_.at(type);
  const Instant first = ask(limited, now_).again_at.value_or(now_);
  return limited.promised = std::max(first, later(limited.promised, limited.rate->every));
}

void Limits::begins(const std::string& type) {
  const auto found = types_.find(type);
  CHECK(found != types_.end());
  ++found->second.running;
  if (const auto& rate = found->second.rate) {
    Instant& full_at = found->second.full_at;
    full_at = std::max(std::min(full_at, later(now_, rate->every * rate->burst)), now_);
    full_at = later(full_at, rate->every);
  }
}

void Limits::ends(const std::string& type) { --types_.at(type).running; }

Limits::Answer Limits::ask_for_any(Instant now) {
  Answer first;
  for (const auto& [name, type] : types_) {
    const Answer answer = ask(type, now);
    if (!answer.hindrance) return {};
    if (!first.hindrance ||
        (answer.again_at && (!first.again_at || *answer.again_at < *first.again_at)))
      first = answer;
  }
  return first;
}

}  // namespace assay::engine::detail
