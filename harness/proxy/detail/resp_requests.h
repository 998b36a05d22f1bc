// RespRequests: finds the ends of a Redis client's commands, and what little of them decides how
// they are answered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::proxy {

class RespRequests {
 public:
  // Takes bytes up to the end of the first command, or all; how many. Takes none once is_broken.
  std::size_t take(std::string_view bytes);

  bool is_whole() const { return state_ == State::whole; }
  bool is_broken() const { return state_ == State::broken; }
  bool is_tls() const { return is_tls_; }  // why it is broken

  // Of the whole command.
  std::size_t words() const { return words_; }           // none: the server passes over it
  const std::string& name() const { return name_; }      // capital letters; empty: a long one
  const std::string& second() const { return second_; }  // likewise
  const std::string& third() const { return third_; }    // likewise
  bool has_block_option() const { return has_block_; }   // of XREAD, XREADGROUP

 private:
  enum class State { begin, count, size, body, inline_line, whole, broken };

  void begin(char first);
  void end_count();
  void end_size();
  void end_word();
  void end_inline();
  void note_word(std::size_t index, const std::string& word);
  void take_line(std::string_view& bytes);

  State state_ = State::begin;
  bool is_tls_ = false;
  std::string line_;
  std::uint64_t words_left_ = 0;
  std::uint64_t body_left_ = 0;  // with its line end
  std::string word_;             // its beginning
  std::size_t word_size_ = 0;
  std::size_t words_ = 0;
  std::string name_, second_, third_;
  bool has_block_ = false, past_options_ = false;
};

}  // namespace assay::proxy
