// compare: whether two drivers of one profile did the same with one plan, in all that the contract
// fixes (META-1). Pure, as all judging.
//
// Ids, tokens, cursors and texts that a driver made itself may differ, and so may what the contract
// leaves open. Where two drivers made another lawful choice (which of several runnable jobs, say),
// their ways part and nothing is concluded from there on; nor behind an answer that nobody got.
#pragma once

#include <cstdint>
#include <string>

#include "harness/history/history.h"

namespace assay {

enum class Likeness { alike, different, parted, unknown };

struct Comparison {
  Likeness likeness = Likeness::alike;
  std::uint64_t answers = 0;  // that were compared, and are alike
  OpId op = 0;                // where it ended, unless alike
  std::string why;            // the same, in a sentence
};

// Requires: both were made by one plan, one client moving at a time, under one profile.
Comparison compare(const History& one, const History& other);

}  // namespace assay
