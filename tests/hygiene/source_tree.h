// SourceTree: the project's own text, by path from the root, for tests that read it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace assay::hygiene {

using SourceTree = std::map<std::string, std::string, std::less<>>;

// One line of one file that breaks a rule, and why.
struct Offence {
  std::string path;
  int line = 0;
  std::string why;

  bool operator==(const Offence&) const = default;
};

// Every .h, .cpp and CMakeLists.txt, but those of build folders and of tests/outside, which is
// another project.
SourceTree read_source_tree(const std::string& root);

bool is_header(std::string_view path);
bool is_source(std::string_view path);  // .h or .cpp
bool is_under(std::string_view path, std::string_view folder);

// The folder that holds the path; "" for the root.
std::string folder_of(std::string_view path);

// The same text with comments and the insides of literals blanked; lines stay where they are.
std::string code_only(std::string_view text);

struct Include {
  int line = 0;
  std::string name;
  bool quoted = false;
};
std::vector<Include> includes_of(std::string_view text);

std::vector<std::string> lines_of(std::string_view text);

// One line an offence, for a test's message.
std::string told(const std::vector<Offence>& offences);

}  // namespace assay::hygiene
