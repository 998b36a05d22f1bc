#include "engine/detail/packed.h"

#include <charconv>

namespace assay::engine::detail {

Packer& Packer::add(std::string_view bytes) {
  text_ += std::to_string(bytes.size());
  text_ += ':';
  text_ += bytes;
  return *this;
}

Packer& Packer::add(const std::optional<std::int64_t>& number) {
  return add(std::string_view(number ? "=" + std::to_string(*number) : ""));
}

std::string_view Unpacker::bytes() {
  const std::size_t colon = rest_.find(':');
  if (is_bad_ || colon == rest_.npos) return is_bad_ = true, "";
  const std::int64_t size = number_in(rest_.substr(0, colon));
  rest_.remove_prefix(colon + 1);
  if (is_bad_ || size < 0 || static_cast<std::size_t>(size) > rest_.size())
    return is_bad_ = true, "";
  const std::string_view found = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(found.size());
  return found;
}

std::int64_t Unpacker::number() { return number_in(bytes()); }

std::optional<std::int64_t> Unpacker::maybe() {
  const std::string_view found = bytes();
  if (found.empty()) return std::nullopt;
  return number_in(found.substr(1));
}

std::int64_t Unpacker::number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc{} && read.ptr == end) return number;
  is_bad_ = true;
  return 0;
}

}  // namespace assay::engine::detail
