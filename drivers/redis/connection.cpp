#include "drivers/redis/detail/connection.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "harness/contract/check.h"

namespace assay::rds {

static void append(std::string& out, char kind, std::size_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out += kind;
  out.append(digits, end);
  out += "\r\n";
}

Words::Words(std::initializer_list<std::string_view> words) {
  constexpr std::size_t usual_bytes = 512;
  text_.reserve(usual_bytes);
  for (const std::string_view word : words) add(word);
}

Words& Words::add(std::string_view text) {
  append(text_, '$', text.size());
  text_ += text;
  text_ += "\r\n";
  ++count_;
  return *this;
}

Words& Words::add(std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return add(std::string_view(digits, end));
}

void Words::append_to(std::string& out) const {
  append(out, '*', count_);
  out += text_;
}

// "$SIZE\r\nBYTES\r\n", one after the other.
std::pair<std::size_t, std::size_t> Words::find(std::size_t n) const {
  CHECK(n < count_);
  for (std::size_t at = 0;;) {
    std::size_t size = 0;
    const auto end = std::from_chars(text_.data() + at + 1, text_.data() + text_.size(), size).ptr;
    at = static_cast<std::size_t>(end - text_.data()) + 2;
    if (n-- == 0) return {at, size};
    at += size + 2;
  }
}

std::string_view Words::word(std::size_t n) const {
  const auto [at, size] = find(n);
  return std::string_view(text_).substr(at, size);
}

Words Words::headed(const Words& head, std::size_t instead_of) const {
  const auto [at, size] = find(instead_of - 1);
  Words all = head;
  all.count_ += count_ - instead_of;
  all.text_ += std::string_view(text_).substr(at + size + 2);
  return all;
}

Words& Words::add(const std::optional<std::int64_t>& number) {
  return number ? add(*number) : add(std::string_view());
}

void Connection::Close::operator()(redisContext* context) const { redisFree(context); }

Connection::Connection(Location location) : home_(std::move(location)), location_(home_) {}
Connection::~Connection() = default;

void Connection::fail(Trouble trouble, std::string text) {
  context_.reset();
  throw Failure{trouble, std::move(text)};
}

static timeval timeval_of(std::int64_t ms) {
  timeval value{};
  value.tv_sec = static_cast<time_t>(ms / 1000);
  value.tv_usec = static_cast<suseconds_t>(ms % 1000 * 1000);
  return value;
}

void Connection::connect() {
  const timeval patience = timeval_of(location_.connect_timeout_ms);
  context_.reset(location_.socket.empty()
                     ? redisConnectWithTimeout(location_.host.c_str(),
                                               static_cast<int>(location_.port), patience)
                     : redisConnectUnixWithTimeout(location_.socket.c_str(), patience));
  if (!context_) fail(Trouble::cannot_connect, "out of memory");
  if (context_->err) {
    std::string text = context_->errstr;
    if (is_away_) text = "its cluster sent us on to " + location_.shown() + ": " + text;
    go_home();
    fail(Trouble::cannot_connect, std::move(text));
  }
  const timeval each_read = timeval_of(location_.timeout_ms);
  ::setsockopt(context_->fd, SOL_SOCKET, SO_RCVTIMEO, &each_read, sizeof each_read);
  // A program that we start must not keep our connections.
  ::fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
  log_in();
}

// Nothing that was asked for is under way yet, so whatever goes wrong here had no effect. What the
// server says to a login is not repeated: it might quote the password.
void Connection::log_in() try {
  if (!location_.password.empty() || !location_.user.empty()) {
    Words login{"AUTH"};
    if (!location_.user.empty()) login.add(location_.user);
    login.add(location_.password);
    const Reply reply = exchange(login);
    if (reply.value().is_error()) {
      const ServerCode code = server_code(reply.value().text());
      if (code == ServerCode::other)
        fail(Trouble::cannot_connect, "it takes no login, or has no password set");
      throw Failure{Trouble::refused, "", code};
    }
  }
  // Also database 0: a server that turns us away does so at the first word.
  const Reply reply = exchange(Words{"SELECT"}.add(location_.database));
  if (!reply.value().is_error()) return;
  const ServerCode code = server_code(reply.value().text());
  if (code == ServerCode::noperm && location_.database == 0) return;
  if (code != ServerCode::other) throw Failure{Trouble::refused, "", code};
  fail(Trouble::cannot_connect, "it has no database " + std::to_string(location_.database));
} catch (const Failure& failure) {
  context_.reset();
  if (failure.trouble == Trouble::refused || failure.trouble == Trouble::cannot_connect) throw;
  throw Failure{Trouble::cannot_connect, "no answer to the first word: " + failure.text};
}

// An idle connection has nothing to read; one that the server closed has its end.
bool Connection::is_alive() const {
  char byte = 0;
  return ::recv(context_->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

// A server that has no room for us says so and hangs up before it read anything.
void Connection::heed_parting_word() {
  char word[256];
  const ssize_t n = ::recv(context_->fd, word, sizeof word, MSG_DONTWAIT);
  if (n <= 1 || server_code({word + 1, static_cast<std::size_t>(n) - 1}) != ServerCode::maxclients)
    return;
  context_.reset();
  throw Failure{Trouble::refused, "", ServerCode::maxclients};
}

void Connection::send(const Stopwatch& watch) {
  const double deadline = static_cast<double>(location_.timeout_ms) / 1000;
  for (sent_ = 0; sent_ < out_.size();) {
    const ssize_t n =
        ::send(context_->fd, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      sent_ += static_cast<std::size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      const std::string text = std::strerror(errno);
      heed_parting_word();
      fail(Trouble::lost, text);
    }
    const double left = deadline - watch.seconds();
    pollfd writable{context_->fd, POLLOUT, 0};
    if (left <= 0 || ::poll(&writable, 1, static_cast<int>(left * 1000) + 1) == 0)
      fail(Trouble::no_answer, std::to_string(location_.timeout_ms) + " ms");
  }
}

Reply Connection::receive(const Stopwatch& watch) {
  char buffer[65536];
  while (true) {
    void* reply = nullptr;
    if (redisReaderGetReply(context_->reader, &reply) != REDIS_OK)
      fail(Trouble::garbled, context_->reader->errstr);
    if (reply) return Reply(static_cast<redisReply*>(reply));
    const ssize_t n = ::recv(context_->fd, buffer, sizeof buffer, 0);
    if (n == 0) fail(Trouble::lost, "the server closed it");
    const bool late = watch.seconds() * 1000 > static_cast<double>(location_.timeout_ms);
    if (n < 0 && errno == EINTR && !late) continue;
    if ((n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) || late)
      fail(Trouble::no_answer, std::to_string(location_.timeout_ms) + " ms");
    if (n < 0) fail(Trouble::lost, std::strerror(errno));
    if (redisReaderFeed(context_->reader, buffer, static_cast<std::size_t>(n)) != REDIS_OK)
      fail(Trouble::garbled, context_->reader->errstr);
  }
}

static void keep_small(std::string& buffer) {
  constexpr std::size_t kept_at_most = 1 << 20;
  if (buffer.capacity() > kept_at_most) buffer = {};
}

Reply Connection::exchange(const Words& words) {
  const Stopwatch watch;
  out_.clear();
  words.append_to(out_);
  send(watch);
  keep_small(out_);
  return receive(watch);
}

// "MOVED 3999 127.0.0.1:6381": all keys of a namespace are in one slot, so this happens once.
void Connection::follow(std::string_view moved) {
  const std::size_t space = moved.rfind(' ');
  const std::size_t colon = moved.rfind(':');
  if (space == moved.npos || colon == moved.npos || colon < space) return;
  std::int64_t port = 0;
  std::from_chars(moved.data() + colon + 1, moved.data() + moved.size(), port);
  const std::string_view host = moved.substr(space + 1, colon - space - 1);
  if (!host.empty()) location_.host = host;
  location_.port = port;
  location_.socket.clear();
  is_away_ = true;
  context_.reset();
}

// The node that we were sent to may be gone; the one in the url knows where our keys are now.
void Connection::go_home() {
  location_ = home_;
  is_away_ = false;
}

void Connection::be_connected() {
  if (context_ && !is_alive()) context_.reset();
  if (!context_) connect();
}

Reply Connection::ask(const Words& words) {
  constexpr int hops = 5;
  for (int hop = 1;; ++hop) {
    be_connected();
    Reply reply = exchange(words);
    if (hop == hops || !reply.value().is_error()) return reply;
    if (server_code(reply.value().text()) != ServerCode::moved) return reply;
    follow(reply.value().text());
  }
}

std::vector<Answer> Connection::ask_all(std::span<const Words> commands) {
  const Stopwatch watch;
  std::vector<Answer> answers;
  std::vector<std::size_t> begins;  // of the commands, within what is sent
  try {
    be_connected();
    out_.clear();
    for (const Words& words : commands) {
      begins.push_back(out_.size());
      words.append_to(out_);
    }
    send(watch);
    while (answers.size() < commands.size()) answers.emplace_back(receive(watch));
  } catch (const Failure& failure) {
    // A command of which no byte left us had no effect.
    const Failure unsent{Trouble::cannot_connect, failure.text};
    while (answers.size() < commands.size()) {
      const bool is_unsent = !begins.empty() && begins[answers.size()] >= sent_;
      answers.emplace_back(is_unsent ? unsent : failure);
    }
  }
  keep_small(out_);
  return answers;
}

void Connection::subscribe(std::span<const std::string> channels) {
  context_.reset();
  connect();
  // A server that is gone without a word is noticed within some ten seconds; one on this machine
  // has no such options.
  const int on = 1, idle = 5, between = 2, tries = 3;
  ::setsockopt(context_->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(context_->fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  ::setsockopt(context_->fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  ::setsockopt(context_->fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
  for (const std::string& channel : channels) {
    const Reply reply = exchange({"SUBSCRIBE", channel});
    if (!reply.value().is_error()) continue;
    const std::string text(reply.value().text());
    context_.reset();
    throw Failure{Trouble::refused, text, server_code(text)};
  }
}

int Connection::socket() const { return context_ ? context_->fd : -1; }

std::vector<Reply> Connection::arrived() {
  char buffer[65536];
  std::vector<Reply> replies;
  while (true) {
    void* reply = nullptr;
    if (redisReaderGetReply(context_->reader, &reply) != REDIS_OK)
      fail(Trouble::garbled, context_->reader->errstr);
    if (reply) {
      replies.emplace_back(static_cast<redisReply*>(reply));
      continue;
    }
    const ssize_t n = ::recv(context_->fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return replies;
    if (n == 0) fail(Trouble::lost, "the server closed it");
    if (n < 0) fail(Trouble::lost, std::strerror(errno));
    if (redisReaderFeed(context_->reader, buffer, static_cast<std::size_t>(n)) != REDIS_OK)
      fail(Trouble::garbled, context_->reader->errstr);
  }
}

Reply Connection::run(const Words& words) {
  Reply reply = ask(words);
  if (reply.value().is_error()) {
    const std::string text(reply.value().text());
    throw Failure{Trouble::refused, text, server_code(text)};
  }
  return reply;
}

}  // namespace assay::rds
