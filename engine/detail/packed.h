// Packed: values of any bytes, one behind the other, as "5:hello" each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::engine::detail {

class Packer {
 public:
  Packer& add(std::string_view bytes);
  Packer& add(std::int64_t number) { return add(std::string_view(std::to_string(number))); }
  // "" where there is none, else "=" and the number.
  Packer& add(const std::optional<std::int64_t>& number);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// Reads in the order in which it was packed. What is not there, or not of the kind, makes it bad,
// and everything after that is empty.
class Unpacker {
 public:
  explicit Unpacker(std::string_view text) : rest_(text) {}

  std::string_view bytes();
  std::string text() { return std::string(bytes()); }
  std::int64_t number();
  std::optional<std::int64_t> maybe();

  bool has_more() const { return !is_bad_ && !rest_.empty(); }
  bool is_bad() const { return is_bad_; }

 private:
  std::int64_t number_in(std::string_view text);

  std::string_view rest_;
  bool is_bad_ = false;
};

}  // namespace assay::engine::detail
