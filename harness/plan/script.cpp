#include "harness/plan/script.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

namespace assay {
namespace {

std::optional<Duration> length_in(const std::string& word) {
  std::int64_t ms = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, ms);
  constexpr std::int64_t a_day = 86'400'000;
  if (read.ec != std::errc() || read.ptr != end || ms < 0 || ms > a_day) return std::nullopt;
  return Duration{ms};
}

std::optional<Act::End> end_in(const std::string& word) {
  static constexpr std::pair<std::string_view, Act::End> ends[] = {
      {"ok", Act::End::ok},
      {"fail", Act::End::fail},
      {"throw", Act::End::throws},
      {"odd", Act::End::odd},
      {"unrecoverable", Act::End::unrecoverable}};
  for (const auto& [name, end] : ends)
    if (name == word) return end;
  return std::nullopt;
}

Act act_in(const std::string& text) {
  Act act;
  std::istringstream words(text);
  bool is_deaf = false, has_length = false;
  for (std::string word; words >> word;) {
    std::string name;
    if (word == "to" && words >> act.to) continue;
    if (const auto length = length_in(word)) {
      (is_deaf ? act.deaf : act.length) = *length;
      has_length = has_length || !is_deaf;
    } else if (const auto kind = output_kind_from(word); kind && words >> name) {
      (has_length ? act.then : act.first).push_back({*kind, name});
    } else if (const auto end = end_in(word)) {
      act.end = *end;
    }
    is_deaf = word == "deaf";
    act.stubborn = act.stubborn || word == "stubborn";
  }
  return act;
}

constexpr std::array<std::string_view, 3> output_kinds{"put", "append", "commit"};

}  // namespace

std::string_view name_of(OutputAct::Kind kind) {
  return output_kinds[static_cast<std::size_t>(kind)];
}

std::optional<OutputAct::Kind> output_kind_from(std::string_view name) {
  const auto at = std::ranges::find(output_kinds, name);
  if (at == output_kinds.end()) return std::nullopt;
  return static_cast<OutputAct::Kind>(at - output_kinds.begin());
}

std::vector<Act> acts_in(std::string_view script) {
  std::vector<Act> acts;
  for (std::size_t from = 0; from <= script.size();) {
    const std::size_t to = std::min(script.find('|', from), script.size());
    acts.push_back(act_in(std::string(script.substr(from, to - from))));
    from = to + 1;
  }
  return acts;
}

Act act_of(std::string_view script, std::int64_t run) {
  const std::vector<Act> acts = acts_in(script);
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(run, 1) - 1);
  return acts[std::min(at, acts.size() - 1)];
}

}  // namespace assay
