#include "tests/properties/judging.h"

#include <algorithm>

namespace assay::told {

History tell(std::string_view profile, Story given, Story story) {
  Told told(profile);
  if (given) given(told);
  story(told);
  return told.history();
}

bool hide(History& history, std::size_t at) {
  auto* end = std::get_if<ReturnEvent>(&history.events[at]);
  if (!end) return false;
  *end = {end->op, OutcomeKind::unknown, {}, Error{ErrorCode::unavailable, "no answer"}};
  return true;
}

std::string findings_of(const Judgement& judgement) {
  std::string text;
  for (const auto& finding : judgement.findings) {
    text += finding.rule + ": " + finding.story + " [";
    for (const OpId op : finding.ops) text += " " + std::to_string(op);
    text += " ]\n";
  }
  return text;
}

std::string tallies_of(const Judgement& judgement) {
  std::string text;
  for (const auto& [rule, tally] : judgement.tallies)
    text += std::string(rule) + " " + std::to_string(tally.triggered) + " " +
            std::to_string(tally.convicted) + "\n";
  return text;
}

std::string test_name(std::string_view rule) {
  std::string name(rule);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace assay::told
