// Markdown: the parts that printed reference pages are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli::markdown {

// A cell of a table: bars would end it.
std::string cell(std::string_view text);

// `text`; nothing of an empty one.
std::string code(std::string_view text);

std::string row(const std::vector<std::string>& cells);
std::string head(const std::vector<std::string>& names);

}  // namespace assay::cli::markdown
