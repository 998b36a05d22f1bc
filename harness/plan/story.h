// tell: a history in sentences, for people.
#pragma once

#include <string>
#include <vector>

#include "harness/history/history.h"
#include "harness/judge/judge.h"

namespace assay {

// One numbered sentence an operation, with its answer; moves of the clock are lines of their own.
// The number is the operation's id plus one. Jobs are called A, B, ... and tokens T1, T2, ...; the
// real text is given once. Times are relative to the beginning of the history.
std::vector<std::string> tell(const History& history);
// The same of a part of a history that began at `start`.
std::vector<std::string> tell(const History& history, Instant start);

// Why that cannot be: the finding's sentences, with the story's names for jobs and tokens, and
// with the step at which it shows.
std::string tell(const History& history, const Finding& finding);
std::string tell(const History& history, const Finding& finding, Instant start);

}  // namespace assay
