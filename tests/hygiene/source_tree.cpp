#include "tests/hygiene/source_tree.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace assay::hygiene {

namespace fs = std::filesystem;

namespace {

bool is_ours(const std::string& path) {
  return (is_source(path) || path.ends_with("CMakeLists.txt")) && !is_under(path, "tests/outside");
}

// The end of the literal that begins at `at` with a quote.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote || text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

// The end of the raw string whose quote is at `at`.
std::size_t end_of_raw(std::string_view text, std::size_t at) {
  const auto open = text.find('(', at);
  if (open == text.npos) return text.size();
  const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
  const auto end = text.find(close, open);
  return end == text.npos ? text.size() : end + close.size() - 1;
}

// Digit separators are no character literals: 1'000.
bool begins_literal(std::string_view text, std::size_t at) {
  if (text[at] == '"') return true;
  return text[at] == '\'' && (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1])));
}

void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to && i < text.size(); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

}  // namespace

bool is_header(std::string_view path) { return path.ends_with(".h"); }

bool is_source(std::string_view path) { return is_header(path) || path.ends_with(".cpp"); }

bool is_under(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

std::string folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return std::string(slash == path.npos ? "" : path.substr(0, slash));
}

SourceTree read_source_tree(const std::string& root) {
  SourceTree tree;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator();
       ++it) {
    const auto name = it->path().filename().string();
    if (it->is_directory() && (name.starts_with(".") || name == "build" || name == "runs")) {
      it.disable_recursion_pending();
      continue;
    }
    const auto path = fs::relative(it->path(), root).generic_string();
    if (!it->is_regular_file() || !is_ours(path)) continue;
    std::ostringstream text;
    text << std::ifstream(it->path()).rdbuf();
    tree[path] = text.str();
  }
  return tree;
}

std::string code_only(std::string_view text) {
  std::string code(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = i;
    if (text.substr(i, 2) == "//") {
      end = std::min(text.find('\n', i), text.size());
      blank(code, i, end);
    } else if (text.substr(i, 2) == "/*") {
      end = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
      blank(code, i, end + 1);
    } else if (begins_literal(text, i)) {
      const bool raw = text[i] == '"' && i > 0 && text[i - 1] == 'R';
      end = raw ? end_of_raw(text, i) : end_of_literal(text, i);
      blank(code, i + 1, end);
    }
    i = end;
  }
  return code;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<Include> includes_of(std::string_view text) {
  static const std::regex include(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> found;
  int number = 0;
  for (const auto& line : lines_of(text)) {
    ++number;
    std::smatch match;
    if (std::regex_search(line, match, include))
      found.push_back({number, match[2], match[1] == "\""});
  }
  return found;
}

std::string told(const std::vector<Offence>& offences) {
  std::string text;
  for (const auto& [path, line, why] : offences) {
    text += path + ":" + std::to_string(line) + ": " + why + "\n";
  }
  return text;
}

}  // namespace assay::hygiene
