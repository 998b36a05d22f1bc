#include "harness/proxy/detail/postgres_messages.h"

#include <algorithm>

namespace assay::proxy {
namespace {

constexpr std::size_t kept_body = 256;
// The server's own limits.
constexpr std::uint32_t longest_first = 10'000;
constexpr std::uint32_t longest = 0x3fffffff;

}  // namespace

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

std::string message(char type, std::string_view body) {
  const auto length = static_cast<std::uint32_t>(body.size() + 4);
  std::string bytes(1, type);
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(length >> shift & 0xff);
  return bytes.append(body);
}

std::uint32_t PostgresMessages::number_at(std::size_t at) const {
  return body_.size() < at + 4 ? 0 : big_endian(std::string_view(body_).substr(at));
}

std::string_view PostgresMessages::short_body() const {
  return body_size_ <= kept_body ? std::string_view(body_) : std::string_view();
}

void PostgresMessages::read_header() {
  const std::size_t type_size = have_type_ ? 1 : 0;
  type_ = have_type_ ? header_[0] : '\0';
  const std::uint32_t length = big_endian(std::string_view(header_).substr(type_size));
  const bool fits =
      have_type_ ? length >= 4 && length <= longest : length >= 8 && length <= longest_first;
  body_left_ = body_size_ = length - 4;
  state_ = !fits ? State::broken : body_left_ == 0 ? State::whole : State::body;
}

std::size_t PostgresMessages::take(std::string_view bytes) {
  if (state_ == State::whole) {
    state_ = State::header;
    header_.clear();
    body_.clear();
  }
  std::size_t at = 0;
  const std::size_t header_size = have_type_ ? 5 : 4;
  while (at < bytes.size() && (state_ == State::header || state_ == State::body)) {
    if (state_ == State::header) {
      const std::size_t size = std::min(header_size - header_.size(), bytes.size() - at);
      header_.append(bytes.substr(at, size));
      at += size;
      if (header_.size() == header_size) read_header();
      continue;
    }
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, bytes.size() - at));
    if (body_.size() < kept_body)
      body_.append(bytes.substr(at, std::min(size, kept_body - body_.size())));
    at += size;
    body_left_ -= size;
    if (body_left_ == 0) state_ = State::whole;
  }
  return at;
}

}  // namespace assay::proxy
