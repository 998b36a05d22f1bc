// without_password: a store's url as it may be shown.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// "redis://:***@host:1/0" for "redis://:secret@host:1/0", and the same for a password among the
// parameters; any other text stays as it is.
std::string without_password(std::string_view url);

}  // namespace assay
