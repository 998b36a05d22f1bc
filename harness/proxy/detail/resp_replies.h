// RespReplies: finds the ends of a Redis server's replies, RESP2 and RESP3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::proxy {

class RespReplies {
 public:
  // Takes bytes up to the end of the first reply, or all; how many. Takes none once is_broken.
  std::size_t take(std::string_view bytes);

  bool is_whole() const { return state_ == State::whole; }
  bool is_broken() const { return state_ == State::broken; }  // this is no reply of a Redis

  // Of the whole reply: its type ('+', '*', '>', ...), past attributes.
  char type() const { return type_; }
  bool is_error() const { return type_ == '-' || type_ == '!'; }

  // The beginning of the reply itself or, of an aggregate, of its first element.
  std::string_view first_text() const { return text_; }

  // The last element of an aggregate, where that is a number.
  std::int64_t last_number() const { return last_number_; }

 private:
  enum class State { type, line, text, body, whole, broken };

  struct Level {
    std::int64_t left = 0;  // elements; less than none: until a '.'
    bool is_attribute = false;
    bool is_text = false;  // a text that comes in chunks
  };

  void begin_line(char type);
  void take_line(std::string_view text);
  void keep(std::string_view text);
  void end_line();
  void begin_body(std::int64_t size);
  void begin_aggregate(std::int64_t count);
  void end_value();
  void end_streamed(bool is_text);
  bool is_first() const;
  void fail() { state_ = State::broken; }

  State state_ = State::type;
  std::vector<Level> levels_;
  char line_type_ = 0;
  bool after_return_ = false;
  bool keeps_text_ = false;
  bool saw_first_ = false;
  std::string line_;             // of a line that carries a number
  std::uint64_t body_left_ = 0;  // with its line end
  char type_ = 0;
  std::string text_;
  std::int64_t last_number_ = 0;
};

}  // namespace assay::proxy
