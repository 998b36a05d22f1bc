#include "harness/cli/queue/input.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>

namespace assay::cli::queue {

Result<std::string> read_input(const std::string& file, std::size_t most) {
  std::ifstream opened;
  if (file != "-") {
    opened.open(file, std::ios::binary);
    if (!opened) return invalid(fmt::format("the file `{}` cannot be read", file));
  }
  std::istream& in = opened.is_open() ? static_cast<std::istream&>(opened) : std::cin;
  std::string bytes;
  char chunk[1 << 16];
  while (in.read(chunk, sizeof chunk) || in.gcount() > 0) {
    bytes.append(chunk, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > most) return invalid(fmt::format("`{}` has more than {} bytes", file, most));
  }
  if (in.bad()) return invalid(fmt::format("`{}` cannot be read to its end", file));
  return bytes;
}

}  // namespace assay::cli::queue
