// Connectable: how a person names a driver that is not linked in: `exec:COMMAND` or
// `tcp:HOST:PORT`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/remote/process.h"

namespace assay {

struct Address {
  std::string host;  // a name, an address, or an address in brackets
  std::uint16_t port = 0;
};

using Connectable = std::variant<Command, Address>;

bool is_connectable(std::string_view name);  // begins as one

// The errors are sentences.
Result<Connectable> connectable_from(std::string_view name);
Result<Address> address_from(std::string_view text);  // "127.0.0.1:7000"

// Words as a shell splits them: blanks between, quotes around, a backslash before; nothing else is
// special. And back.
Result<std::vector<std::string>> split_words(std::string_view text);
std::string join_words(const std::vector<std::string>& words);

}  // namespace assay
