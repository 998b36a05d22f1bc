#include "harness/cli/markdown.h"

#include <fmt/format.h>

#include "reports/text.h"

namespace assay::cli::markdown {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", cell(text));
}

std::string row(const std::vector<std::string>& cells) {
  return "| " + text::joined(cells, " | ") + " |\n";
}

std::string head(const std::vector<std::string>& names) {
  std::string line = "|";
  for (std::size_t i = 0; i < names.size(); ++i) line += "---|";
  return row(names) + line + "\n";
}

}  // namespace assay::cli::markdown
