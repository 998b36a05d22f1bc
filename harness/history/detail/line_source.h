// LineSource: the lines of an input, one at a time, however long the input is.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace assay::detail {

class LineSource {
 public:
  // Borrowed for life.
  explicit LineSource(std::istream& in);

  // To the next line; false at the end.
  bool next();

  // Without its end; empty where too long. Stays until the next one.
  std::string_view text() const { return text_; }
  std::size_t number() const { return number_; }  // from 1
  bool is_ended() const { return ended_; }        // by a newline: only the last may not be
  bool is_too_long() const { return too_long_; }
  bool failed() const;  // the end is not the input's: it cannot be read

 private:
  bool refill();
  void add(std::string_view piece);

  std::istream& in_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::string_view text_;  // in the buffer, or
  std::string pieces_;     // where it is in more than one
  std::size_t number_ = 0;
  bool ended_ = false, too_long_ = false;
};

}  // namespace assay::detail
