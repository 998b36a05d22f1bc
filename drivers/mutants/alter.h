// alter: one place of a text is changed, so that a bug is planted.
#pragma once

#include <string>
#include <string_view>

#include "harness/contract/check.h"

namespace assay::mutants {

// Puts `now` where `before` was. Requires: it is there.
inline void alter(std::string& text, std::string_view before, std::string_view now) {
  const std::size_t at = text.find(before);
  CHECK(at != std::string::npos);
  text.replace(at, before.size(), now);
}

// From `begin` up to `end`, which is not part of it. Requires: both are there.
inline std::string part(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  CHECK(from != std::string::npos);
  const std::size_t to = text.find(end, from);
  CHECK(to != std::string::npos);
  return text.substr(from, to - from);
}

// What comes before it. Requires: it is there.
inline std::string before(const std::string& text, std::string_view what) {
  const std::size_t at = text.find(what);
  CHECK(at != std::string::npos);
  return text.substr(0, at);
}

// It and what comes behind it. Requires: it is there.
inline std::string onward(const std::string& text, std::string_view what) {
  return text.substr(before(text, what).size());
}

}  // namespace assay::mutants
