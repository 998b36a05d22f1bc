// write_whole: a file that is there complete or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/contract/result.h"

namespace assay::files {

// Written beside its place, then renamed into it. The error says which file and why.
Status write_whole(const std::filesystem::path& path, std::string_view bytes);

Result<std::string> read_whole(const std::filesystem::path& path);

// A part of a file's name: letters, digits, '.', '_' and '-' stay, the rest becomes '-'.
std::string file_name_of(std::string_view text);

}  // namespace assay::files
