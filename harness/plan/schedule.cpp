#include "harness/plan/schedule.h"

#include <fmt/format.h>

#include <charconv>

namespace assay {

// A token from outside must not ask for more memory than its text could mean.
static constexpr std::size_t choices_at_most = 1'000'000;

std::string_view name_of(Schedule::Kind kind) {
  switch (kind) {
    case Schedule::Kind::random_walk:
      return "random_walk";
    case Schedule::Kind::pct:
      return "pct";
    case Schedule::Kind::choices:
      return "choices";
  }
  return "";
}

std::size_t switches(const std::vector<int>& choices) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < choices.size(); ++i)
    if (choices[i] != choices[i - 1] && choices[i] >= 0 && choices[i - 1] >= 0) ++count;
  return count;
}

std::string text_of(const std::vector<int>& choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size();) {
    std::size_t end = i;
    while (end < choices.size() && choices[end] == choices[i]) ++end;
    if (!text.empty()) text += ' ';
    if (choices[i] == Schedule::next_round) {
      text += '|';
      end = i + 1;
    } else {
      text +=
          end - i == 1 ? fmt::format("{}", choices[i]) : fmt::format("{}*{}", choices[i], end - i);
    }
    i = end;
  }
  return text;
}

Result<std::vector<int>> choices_from(std::string_view text) {
  std::vector<int> choices;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](auto& value) {
    const auto [rest, failed] = std::from_chars(at, end, value);
    at = rest;
    return failed == std::errc{};
  };
  while (at != end) {
    int client = Schedule::next_round;
    std::size_t times = 1;
    const bool read = *at == '|'
                          ? (++at, true)
                          : number(client) && client >= 0 &&
                                (at == end || *at != '*' || (++at, number(times) && times > 0));
    if (!read || times > choices_at_most - choices.size() || (at != end && *at != ' '))
      return invalid(fmt::format("\"{}\" is no list of choices, such as \"0*3 1 0 | 1\"", text));
    choices.insert(choices.end(), times, client);
    if (at != end) ++at;
  }
  return choices;
}

}  // namespace assay
