// text_of: all that a file holds.
//
// Empty where it cannot be read. A file that speaks of a process may go away while it is read: then
// it is what came until then, and nothing is thrown.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

namespace assay {

inline std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace assay
