// version: which Assay this is, as `assay --version`, reports and tokens say it.
#pragma once

#include <string_view>

namespace assay {

std::string_view version();  // "0.1.0"

}  // namespace assay
