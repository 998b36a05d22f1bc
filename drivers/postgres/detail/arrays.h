// Arrays as parameters: one value of each of many things, or nothing for it.
#pragma once

#include <string>
#include <vector>

#include "drivers/postgres/detail/connection.h"

namespace assay::pg {

// `of` gives the bytes of a thing, or none.
template <class T, class Of>
std::string array_of_bytes(const std::vector<const T*>& things, Of of) {
  std::string text = "{";
  for (const T* thing : things) {
    if (text.size() > 1) text += ',';
    const std::optional<std::string> bytes = of(*thing);
    text += bytes ? "\"\\" + to_hex(*bytes) + "\"" : "NULL";
  }
  return text + "}";
}

template <class T, class Of>
std::string array_of_numbers(const std::vector<const T*>& things, Of of) {
  std::string text = "{";
  for (const T* thing : things) {
    if (text.size() > 1) text += ',';
    const std::optional<std::int64_t> number = of(*thing);
    text += number ? std::to_string(*number) : "NULL";
  }
  return text + "}";
}

}  // namespace assay::pg
