// JudgedReport: what came of judging a stored history, told to a person or as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/reader.h"
#include "harness/plan/lanes.h"
#include "harness/run/certify.h"

namespace assay {

struct JudgedRule {
  std::string id;
  Verdict verdict = Verdict::vacuous;
  Tally tally;
};

struct ToldFinding {
  Finding finding;                 // the story in the judge's words
  std::vector<std::string> steps;  // the witness in sentences; empty: not shown
  std::string story;               // with the names that the steps use
  Lanes lanes;                     // the witness as a picture
};

struct JudgedReport {
  std::string assay_version;
  std::string file;  // as the person named it
  std::string driver;
  Profile profile;
  std::uint64_t events = 0;
  std::uint64_t operations = 0;
  std::uint64_t clients = 0;
  std::uint64_t unknown_outcomes = 0;
  std::uint64_t undecided = 0;        // jobs whose calls had too many orders to be searched
  std::vector<JudgedRule> rules;      // in the table's order: those that the profile promises
  std::vector<NotTested> not_tested;  // the others
  std::vector<HistoryNote> notes;
  std::vector<ToldFinding> findings;   // the first of each rule
  std::optional<std::string> trouble;  // the history could not be read to its end
  bool filtered = false;               // only some rules were asked for
  bool strict = false;                 // a rule that was never triggered counts, too
};

// 1: a rule is violated. Else 3: in trouble. Else 2: something is undecided or missing from the
// history, no rule was triggered, or, where strict, some rule was not. Else 0.
int exit_status_of(const JudgedReport& report);

struct JudgedStyle {
  bool colour = false;
  bool quiet = false;  // only the closing line
  std::size_t width = 100;
};
std::string judged_text(const JudgedReport& report, const JudgedStyle& style);

std::string judged_json(const JudgedReport& report);

}  // namespace assay
