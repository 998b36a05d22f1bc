#include "harness/plan/hostile.h"

namespace assay {
namespace {

// Neighbours differ in what a careless store folds together: case, a trailing blank, a separator,
// a composed letter and its decomposed twin.
constexpr std::string_view names[] = {
    "q",
    "Q",
    "q ",
    " q",
    "q:1",
    "q:1:2",
    "q|1",
    "q/../r",
    "q.r",
    "q,r",
    "q%",
    "q_",
    "q*",
    "q?",
    "[q]",
    "{q}",
    "q'; DROP TABLE jobs; --",
    "\"q\"",
    "q\\",
    "q\nr",
    "q\tr",
    "$1",
    "%s%n",
    "null",
    "0",
    "-1",
    "true",
    "\xc3\xa9",
    "e\xcc\x81",
    "\xe6\x97\xa5\xe6\x9c\xac",
    "\xf0\x9f\x90\x99",
    "a-name-that-is-rather-long-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-"
    "0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789",
};

}  // namespace

std::span<const std::string_view> hostile_names() { return names; }

}  // namespace assay
