#include "harness/cli/table.h"

#include <algorithm>

#include "reports/text.h"

namespace assay::cli {

static std::string line_of(const std::vector<std::string>& row,
                           const std::vector<std::size_t>& widths, std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    line += row[i];
    line.append(widths[i] - row[i].size() + 2, ' ');
  }
  if (!row.empty()) line += text::cut(row.back(), width > line.size() ? width - line.size() : 10);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string aligned(const std::vector<std::string>& heads,
                    const std::vector<std::vector<std::string>>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    widths.push_back(heads[i].size());
    for (const auto& row : rows) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out = line_of(heads, widths, width);
  for (const auto& row : rows) out += line_of(row, widths, width);
  return out;
}

}  // namespace assay::cli
