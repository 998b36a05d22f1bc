// Arbitrary plans and histories for round trips: every field, with names that are hard to carry.
#pragma once

#include <rapidcheck.h>

#include "harness/history/history.h"
#include "harness/plan/plan.h"

namespace assay::fakes {

inline rc::Gen<std::string> any_text() {
  return rc::gen::weightedOneOf<std::string>(
      {{3, rc::gen::element<std::string>("", "q", "a\"b\\c\n\t", "\xc3\xa9\xe2\x82\xac", "\xff\xfe",
                                         std::string("\0x", 2), "base64", "\xed\xa0\x80")},
       {1, rc::gen::arbitrary<std::string>()}});
}

inline std::int64_t any_number() {
  return *rc::gen::weightedOneOf<std::int64_t>(
      {{3, rc::gen::inRange<std::int64_t>(-3, 100)}, {1, rc::gen::arbitrary<std::int64_t>()}});
}
inline Instant any_instant() { return instant_from_ms(any_number()); }
inline Duration any_duration() { return Duration(any_number()); }
inline bool any_flag() { return *rc::gen::arbitrary<bool>(); }

template <class Make>
auto maybe(Make make) -> std::optional<decltype(make())> {
  return any_flag() ? std::optional(make()) : std::nullopt;
}
inline std::optional<std::string> maybe_text() {
  return maybe([] { return *any_text(); });
}
inline JobState any_state() { return static_cast<JobState>(*rc::gen::inRange(0, 6)); }

Plan any_plan();        // valid
History any_history();  // each answer fits its call

}  // namespace assay::fakes
