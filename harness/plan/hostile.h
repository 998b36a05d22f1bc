// hostile_names: names that a queue must carry as they are: quotes, separators, wildcards, blanks,
// look-alikes, long ones. All valid UTF-8, none empty, none with a NUL.
#pragma once

#include <span>
#include <string_view>

namespace assay {

std::span<const std::string_view> hostile_names();

}  // namespace assay
