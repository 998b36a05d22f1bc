#include "harness/cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>

#include "reports/text.h"

namespace assay::cli {

static char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
  name = name.substr(0, 80);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    const std::size_t allowed = std::max<std::size_t>(2, candidate.size() / 3);
    const bool beginning = name.size() >= 3 && candidate.starts_with(name);
    if (distance <= allowed && distance < candidate.size())
      near.emplace_back(distance, candidate);
    else if (beginning)
      near.emplace_back(allowed + 1, candidate);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.size() > 3) near.resize(3);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near)
    if (distance <= near.front().first + 1) names.push_back(std::move(candidate));
  return names;
}

Error unknown(std::string_view what, std::string_view name, const std::vector<std::string>& known,
              std::string_view advice) {
  std::string sentence = fmt::format("there is no {} `{}`", what, name);
  const std::vector<std::string> near = nearest(name, known);
  for (std::size_t i = 0; i < near.size(); ++i)
    sentence += fmt::format("{}`{}`", i == 0 ? "; did you mean " : " or ", near[i]);
  sentence += fmt::format("{} {}", near.empty() ? ";" : "?", advice);
  return invalid(std::move(sentence));
}

Result<double> seconds_from(std::string_view text) {
  const Error wrong =
      invalid(fmt::format("`{}` is not a length of time: write a number above zero with a unit, "
                          "like 500ms, 10s, 5m or 1h (at most 168h)",
                          text));
  double value = 0;
  const auto [end, failed] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (failed != std::errc{}) return wrong;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit == "ms")
    value /= 1000;
  else if (unit == "m" || unit == "min")
    value *= 60;
  else if (unit == "h")
    value *= 3600;
  else if (!unit.empty() && unit != "s")
    return wrong;
  if (!(value > 0) || value > 168.0 * 3600) return wrong;
  return value;
}

Result<std::uint64_t> number_from(std::string_view text, std::string_view what, Range range) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size() || value < range.least ||
      value > range.most)
    return invalid(fmt::format("{} takes a whole number from {} to {}, not `{}`", what, range.least,
                               range.most, text));
  return value;
}

int wrong_usage(std::string_view sentence) {
  std::cerr << "assay: " << text::printable(sentence) << "\n";
  return exit_usage;
}

int trouble(std::string_view sentence) {
  std::cerr << "assay: " << text::printable(sentence) << "\n";
  return exit_trouble;
}

}  // namespace assay::cli
