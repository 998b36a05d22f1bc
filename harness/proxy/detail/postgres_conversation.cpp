// A Postgres client's talk with its server: greeting and login, then groups of messages that end
// with a query, a Sync or a Flush, each with its answer.
#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "harness/proxy/detail/conversation.h"
#include "harness/proxy/detail/postgres_messages.h"

namespace assay::proxy {
namespace {

constexpr std::uint32_t cancel_request = 80877102;
constexpr std::uint32_t tls_request = 80877103;
constexpr std::uint32_t gss_request = 80877104;
constexpr std::uint32_t major_version = 3;
constexpr char tls_handshake = 0x16;

constexpr std::string_view no_copy =
    "COPY cannot be held at a gate: it is no request with one answer";

// What a delivered group waits for: ReadyForQuery, or, after a Flush, the end of each message.
struct Due {
  char ended_by = 0;
  std::size_t ends = 0;
};

// The messages that end what one message of the extended protocol asked for.
bool is_end_of_one(char type) { return type && std::strchr("123TnCsI", type); }

// One statement that sets what only its own session sees.
bool is_setting(std::string_view query) {
  query = query.substr(0, query.find('\0'));
  constexpr std::string_view blanks = " \t\r\n;";
  const std::size_t begin = query.find_first_not_of(blanks);
  if (begin == query.npos) return false;
  query = query.substr(begin, query.find_last_not_of(blanks) + 1 - begin);
  if (query.find(';') != query.npos) return false;
  constexpr std::string_view word = "set ";
  return query.size() > word.size() &&
         std::ranges::equal(query.substr(0, word.size()), word,
                            [](char given, char small) { return (given | 32) == small; });
}

class PostgresConversation final : public Conversation {
 public:
  Reading client(std::string_view bytes) override {
    if (is_cancel_) return {bytes.size(), Seen::pass};
    const std::size_t size = from_client_.take(bytes);
    const bool is_greeting = !has_greeted_;
    if (is_greeting && from_client_.begins_with(tls_handshake)) return refuse(size, tls_sentence());
    if (from_client_.is_broken())
      return refuse(size, "the client sends what is no message of Postgres' protocol, version 3");
    if (!from_client_.is_whole()) return {size, Seen::nothing};
    return is_greeting ? greet(size) : take_message(size);
  }

  Reading server(std::string_view bytes) override {
    if (is_cancel_) return {bytes.size(), Seen::pass};
    const std::size_t size = from_server_.take(bytes);
    if (from_server_.is_broken())
      return refuse(size, "the server sends what is no message of Postgres' protocol, version 3");
    if (!from_server_.is_whole()) return {size, Seen::nothing};
    const char type = from_server_.type();
    if (!is_ready_) {
      if (type == 'K') pid_ = static_cast<int>(from_server_.number_at(0));
      is_ready_ = type == 'Z';
      return {size, Seen::pass};
    }
    if (due_.empty()) return {size, Seen::push};
    if (type == 'G' || type == 'H' || type == 'W') return {size, Seen::copy};
    return {size, take_answer(type)};
  }

  bool delivered() override {
    const Due due{std::exchange(ended_by_, '\0'), std::exchange(messages_, 0)};
    // After an error the server passes over everything up to the next Sync.
    if (due.ended_by == 'H' && is_failed_) return false;
    due_.push_back(due);
    return true;
  }

  std::size_t outstanding() const override { return due_.size(); }
  RequestKind kind() const override {
    return is_preparing_ ? RequestKind::preparing : RequestKind::plain;
  }
  bool is_error() const override { return is_error_; }
  std::string_view reply() const override { return "N"; }
  int backend_pid() const override { return pid_; }

  std::string left_early() const override {
    return has_greeted_ || !asked_for_tls_ ? std::string() : tls_sentence();
  }

  // A Sync that came with the request was passed over by a server that waited for data.
  Refusal refuse_copy() override {
    const char type = from_server_.type();
    Refusal refusal;
    refusal.goes_on = type != 'W';
    refusal.why = no_copy;
    if (type == 'G') {
      refusal.to_server = message('f', std::string(no_copy) + '\0');
      if (due_.front().ended_by == 'S') refusal.to_server += message('S', {});
      return refusal;
    }
    const std::string end(1, '\0');
    const std::string severity = type == 'W' ? "FATAL" : "ERROR";
    refusal.to_client = message('E', "S" + severity + end + "V" + severity + end + "C0A000" + end +
                                         "M" + std::string(no_copy) + end + end);
    had_error_ = drops_ = true;
    return refusal;
  }

 private:
  static std::string tls_sentence() {
    return "the client insists on TLS, which hides what it asks: have it connect without "
           "(sslmode=disable)";
  }

  Reading greet(std::size_t size) {
    const std::uint32_t code = from_client_.number_at(0);
    if (code == tls_request || code == gss_request) {
      asked_for_tls_ |= code == tls_request;
      return {size, Seen::reply};
    }
    is_cancel_ = code == cancel_request;
    if (!is_cancel_ && code >> 16 != major_version)
      return refuse(size, "the client speaks no Postgres protocol of version 3");
    has_greeted_ = true;
    from_client_.begin_types();
    return {size, Seen::pass};
  }

  Reading take_message(std::size_t size) {
    const char type = from_client_.type();
    switch (type) {
      case 'P':
      case 'B':
      case 'D':
      case 'E':
      case 'C':
        executes_ |= type == 'E';
        ++messages_;
        return {size, Seen::part};
      case 'H':
        if (messages_ == 0) return {size, Seen::pass};
        [[fallthrough]];
      case 'Q':
      case 'F':
      case 'S':
        ended_by_ = type;
        // A Sync with nothing before it ends a transaction that failed.
        is_preparing_ = type == 'Q'   ? is_setting(from_client_.short_body())
                        : type == 'F' ? false
                                      : messages_ > 0 && !executes_;
        executes_ = false;
        return {size, Seen::request};
      case 'X':
      case 'p':
      case 'd':
      case 'c':
      case 'f':
        return {size, Seen::pass};
      default:
        return refuse(size, "the client sends a message that Postgres' protocol does not have");
    }
  }

  Seen take_answer(char type) {
    had_error_ |= type == 'E';
    const Due& due = due_.front();
    if (due.ended_by != 'H') {
      if (type != 'Z') return drops_ ? Seen::drop : Seen::part;
      drops_ = is_failed_ = false;
      return end_answer();
    }
    if (type == 'E') {
      is_failed_ = true;
      while (due_.size() > 1 && due_[1].ended_by == 'H') due_.erase(due_.begin() + 1);
      return end_answer();
    }
    if (!is_end_of_one(type) || --due_.front().ends > 0) return drops_ ? Seen::drop : Seen::part;
    drops_ = false;
    return end_answer();
  }

  Seen end_answer() {
    due_.pop_front();
    is_error_ = std::exchange(had_error_, false);
    return Seen::answer;
  }

  PostgresMessages from_client_{false}, from_server_{true};
  bool has_greeted_ = false, asked_for_tls_ = false, is_cancel_ = false;
  bool is_ready_ = false;   // the login is over
  bool is_failed_ = false;  // until a Sync is answered
  bool had_error_ = false, is_error_ = false;
  bool drops_ = false;  // the answer of a refused COPY
  std::size_t messages_ = 0;
  bool executes_ = false, is_preparing_ = false;
  char ended_by_ = 0;
  std::deque<Due> due_;
  int pid_ = 0;
};

// Up to its zero, or all.
std::string_view text_of(std::string_view bytes) { return bytes.substr(0, bytes.find('\0')); }

// What people know a message by.
std::string_view told(char type, std::string_view body) {
  if (type == 'Q') return text_of(body);
  if (type == 'P') return text_of(body.substr(std::min(text_of(body).size() + 1, body.size())));
  if (type == 'B') return text_of(body.substr(std::min(text_of(body).size() + 1, body.size())));
  return {};
}

}  // namespace

std::unique_ptr<Conversation> postgres_conversation() {
  return std::make_unique<PostgresConversation>();
}

// The letters of the group's messages, then the first statement, or its name where it was prepared.
std::string describe_postgres(std::string_view request) {
  constexpr std::size_t enough = 200, most_letters = 12;
  std::string letters;
  std::string_view text;
  while (request.size() >= 5) {
    const std::size_t size =
        std::min<std::size_t>(big_endian(request.substr(1)) + std::size_t{1}, request.size());
    if (letters.size() < most_letters) letters += request[0];
    if (text.empty() && size >= 5) text = told(request[0], request.substr(5, size - 5));
    request.remove_prefix(size);
  }
  if (letters.size() == most_letters) letters += "...";
  return shortened(text.empty() ? letters : letters + " " + std::string(text.substr(0, enough)));
}

}  // namespace assay::proxy
