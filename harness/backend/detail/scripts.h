// The files of docker/ that a backend is run by, as they were when this program was built: an
// installed one needs no source tree.
#pragma once

#include <span>
#include <string_view>

namespace assay::detail {

struct ScriptFile {
  std::string_view name;
  std::string_view text;
};

std::span<const ScriptFile> backend_scripts();

}  // namespace assay::detail
