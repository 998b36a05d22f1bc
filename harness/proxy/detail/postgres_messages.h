// PostgresMessages: finds the ends of the messages of one side of a Postgres (v3) connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::proxy {

class PostgresMessages {
 public:
  // A client's first messages have no type: their type is 0.
  explicit PostgresMessages(bool have_type) : have_type_(have_type) {}

  // From the next message on.
  void begin_types() { have_type_ = true; }

  // Takes bytes up to the end of the first message, or all; how many. Takes none once is_broken.
  std::size_t take(std::string_view bytes);

  bool is_whole() const { return state_ == State::whole; }
  bool is_broken() const { return state_ == State::broken; }  // a length that no message has

  char type() const { return type_; }
  // A number of the body, of which only the beginning is kept; 0: there is none.
  std::uint32_t number_at(std::size_t at) const;
  bool is_empty() const { return body_.empty(); }
  // The body where it is short; else nothing.
  std::string_view short_body() const;
  char first() const { return body_.empty() ? '\0' : body_[0]; }

  // Without its type the first bytes may be of another protocol.
  bool begins_with(char byte) const { return !header_.empty() && header_[0] == byte; }

 private:
  enum class State { header, body, whole, broken };

  void read_header();

  bool have_type_;
  State state_ = State::header;
  char type_ = 0;
  std::string header_;
  std::string body_;  // its beginning
  std::uint64_t body_size_ = 0;
  std::uint64_t body_left_ = 0;
};

// A big-endian number of four bytes. Requires: there are four.
std::uint32_t big_endian(std::string_view bytes);
std::string message(char type, std::string_view body);

}  // namespace assay::proxy
