#include "harness/remote/connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>

#include "harness/contract/clock.h"
#include "harness/remote/detail/messages.h"
#include "harness/remote/detail/process_log.h"
#include "harness/remote/detail/wait.h"

namespace assay {
namespace {

constexpr double slice_seconds = 0.25;  // how often a silent process is looked after
constexpr double farewell_seconds = 2;
constexpr std::size_t shown_bytes = 200;

int to_poll(double seconds) { return static_cast<int>(std::max(0.0, seconds) * 1000) + 1; }

// The beginning of a line, fit to be read by people.
std::string shown(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, shown_bytes)) {
    if (c == '\n')
      text += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      text += c;
  }
  if (line.size() > shown_bytes) text += fmt::format("... ({} bytes)", line.size());
  return text;
}

// A pipe that nobody reads any more is an answer like any other, not the end of us.
void live_without_sigpipe() {
  struct sigaction now {};
  if (::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
    ::signal(SIGPIPE, SIG_IGN);
}

Error unreachable(const Address& address, std::string_view why) {
  return {ErrorCode::unavailable,
          fmt::format("cannot reach the driver at {}:{}: {}", address.host, address.port, why),
          LeaseReason::unstated, true};
}

}  // namespace

struct Connection::Waiting {
  std::condition_variable changed;
  bool done = false;
  std::string line;
};

Connection::Connection(ConnectionOptions options)
    : options_(std::move(options)), wait_(std::make_unique<detail::InputWait>()) {}

Result<std::unique_ptr<Connection>> Connection::open(const Connectable& to,
                                                     ConnectionOptions options) {
  live_without_sigpipe();
  auto connection = std::unique_ptr<Connection>(new Connection(std::move(options)));
  if (const auto* address = std::get_if<Address>(&to)) {
    if (auto connected = connection->connect(*address); !connected) return connected.error();
    return connection;
  }
  auto process = Process::start(std::get<Command>(to));
  if (!process) return process.error();
  connection->process_ = std::move(*process);
  connection->in_ = connection->process_->input();
  connection->out_ = connection->process_->output();
  ConnectionOptions& given = connection->options_;
  std::function<void(std::string_view)> told;
  if (given.trace) told = [trace = given.trace](std::string_view text) { trace('!', text); };
  connection->log_ = std::make_unique<detail::ProcessLog>(connection->process_->log(),
                                                          given.log_file, std::move(told));
  return connection;
}

Status Connection::connect(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failed != 0) return unreachable(address, ::gai_strerror(failed));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  int error = ECONNREFUSED;
  for (const addrinfo* one = found; one && out_ < 0; one = one->ai_next) {
    const int socket =
        ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol);
    if (socket < 0) continue;
    error = ::connect(socket, one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      pollfd ready{socket, POLLOUT, 0};
      socklen_t size = sizeof error;
      error = ETIMEDOUT;
      if (::poll(&ready, 1, to_poll(options_.start_seconds)) > 0)
        ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) {
      ::close(socket);
      continue;
    }
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    in_ = out_ = socket;
  }
  if (out_ < 0) return unreachable(address, std::strerror(error));
  return Done{};
}

Connection::~Connection() {
  if (process_ && !broken_) end_input(farewell_seconds);
  if (!process_ && out_ >= 0) ::close(out_);
  process_.reset();
}

std::optional<std::string> Connection::end_input(double wait_seconds) {
  if (!process_) return std::nullopt;
  process_->close_input();
  in_ = -1;
  const Stopwatch watch;
  while (watch.seconds() < wait_seconds) {
    if (process_->ending(0.01)) {
      log_->drain();
      return std::nullopt;
    }
    log_->drain();  // a full log would keep it from ending
    char rest[4096];
    while (::read(out_, rest, sizeof rest) > 0) {
    }
  }
  return fmt::format("it did not end within {} s of the end of its input", wait_seconds);
}

std::optional<Error> Connection::broken() const {
  const std::lock_guard lock(mutex_);
  return broken_;
}

std::string Connection::last_log_lines() const { return log_ ? log_->tail() : ""; }

Error Connection::broke(const std::string& what, std::string_view line) {
  if (log_) log_->drain();
  std::string message = "driver protocol error: " + what;
  if (!line.empty()) message += fmt::format("; the line: {}", shown(line));
  std::string log = last_log_lines();
  while (log.ends_with('\n')) log.pop_back();
  if (log.size() > 400) log = "..." + log.substr(log.size() - 400);
  if (!log.empty()) message += fmt::format("; its log ends: {}", log);
  const std::lock_guard lock(mutex_);
  if (!broken_) broken_ = Error{ErrorCode::internal, message, LeaseReason::unstated, false};
  for (const auto& [id, other] : waiting_) other->changed.notify_one();
  return *broken_;
}

std::optional<std::string> Connection::ending_of_process(double wait_seconds) {
  const std::lock_guard lock(ending_);
  return process_->ending(wait_seconds);
}

std::string Connection::shown_ending() {
  if (!process_) return "the driver closed the connection";
  const auto ending = ending_of_process(1);
  return ending ? "the driver's process " + *ending : "the driver closed its output";
}

Result<std::string> Connection::call(std::uint64_t id, std::string_view line) {
  Waiting mine;
  {
    const std::lock_guard lock(mutex_);
    if (broken_) return *broken_;
    waiting_.emplace(id, &mine);
  }
  if (options_.trace) options_.trace('>', line);
  const bool sent = send(line);
  const Stopwatch watch;
  std::unique_lock lock(mutex_);
  const double limit = answered_ ? options_.answer_seconds : options_.start_seconds;
  while (sent && !mine.done && !broken_) {
    const double left = limit - watch.seconds();
    if (left <= 0) {
      lock.unlock();
      broke(fmt::format("no answer within {} s", limit), line);
      lock.lock();
    } else if (someone_reads_) {
      mine.changed.wait_for(lock, std::chrono::duration<double>(left));
    } else {
      // Whoever waits first reads for everybody, until its own answer is there.
      someone_reads_ = true;
      lock.unlock();
      read_once(std::min(left, slice_seconds));
      lock.lock();
      someone_reads_ = false;
    }
  }
  waiting_.erase(id);
  if (!someone_reads_) let_another_read();
  if (mine.done) {
    answered_ = true;
    return std::move(mine.line);
  }
  return *broken_;
}

void Connection::let_another_read() {
  for (const auto& [id, other] : waiting_) {
    if (other->done) continue;
    other->changed.notify_one();
    return;
  }
}

bool Connection::post(std::string_view line) {
  if (broken()) return false;
  if (options_.trace) options_.trace('>', line);
  return send(line);
}

Result<std::string> Connection::next_line(double seconds) {
  CHECK(options_.raw);
  const Stopwatch watch;
  while (lines_.empty()) {
    if (const auto error = broken()) return *error;
    const double left = seconds - watch.seconds();
    if (left <= 0) return Error{ErrorCode::unavailable, "no line came"};
    read_once(std::min(left, slice_seconds));
  }
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

bool Connection::send(std::string_view line) {
  const std::lock_guard lock(sending_);
  std::string whole;
  whole.reserve(line.size() + 1);
  whole.append(line).push_back('\n');
  std::string_view rest = whole;
  const Stopwatch watch;
  while (!rest.empty()) {
    const ssize_t written = process_ ? ::write(in_, rest.data(), rest.size())
                                     : ::send(in_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (written > 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      const double left = options_.answer_seconds - watch.seconds();
      if (left <= 0) {
        broke(fmt::format("it does not read its input: {} bytes were not taken within {} s",
                          rest.size(), options_.answer_seconds));
        return false;
      }
      pollfd ready[] = {{in_, POLLOUT, 0}, {log_ ? log_->stream() : -1, POLLIN, 0}};
      ::poll(ready, 2, to_poll(left));
      if (ready[1].revents) log_->drain();
    } else if (errno != EINTR) {
      // It takes no more. What it said last tells why: whoever reads will come to it.
      return true;
    }
  }
  return true;
}

void Connection::read_once(double seconds) {
  pollfd ready[] = {{out_, POLLIN, 0}, {log_ ? log_->stream() : -1, POLLIN, 0}};
  const int count = wait_->wait(ready, 2, seconds);
  if (count == 0 && process_) {
    // It may have left its output to a child of its own, so that no end of it is ever seen.
    const auto ending = ending_of_process(0);
    if (ending) broke("the driver's process " + *ending);
  }
  if (count <= 0) return;
  if (ready[1].revents) log_->drain();
  if (!ready[0].revents) return;
  char bytes[64 * 1024];
  const ssize_t size = ::read(out_, bytes, sizeof bytes);
  if (size > 0) {
    take_lines({bytes, static_cast<std::size_t>(size)});
  } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
    const std::string ending = shown_ending();
    broke(partial_.empty() ? ending : ending + " in the middle of a line", partial_);
  }
}

void Connection::take_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      partial_.append(bytes);
      if (partial_.size() > max_line_bytes)
        broke(fmt::format("a line is longer than {} MiB", max_line_bytes >> 20), partial_);
      return;
    }
    partial_.append(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    deliver(std::exchange(partial_, {}));
  }
}

void Connection::deliver(std::string line) {
  if (options_.trace) options_.trace('<', line);
  if (line.size() > max_line_bytes) {
    broke(fmt::format("a line is longer than {} MiB", max_line_bytes >> 20), line);
    return;
  }
  if (options_.raw) {
    lines_.push_back(std::move(line));
    return;
  }
  const Result<std::uint64_t> id = detail::answered_id(line);
  if (!id) {
    broke(line.empty() ? "an empty line" : id.error().message, line);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(*id);
    if (found != waiting_.end() && !found->second->done) {
      found->second->line = std::move(line);
      found->second->done = true;
      found->second->changed.notify_one();
      return;
    }
  }
  broke(*id < next_id_ ? fmt::format("it answered request {} again", *id)
                       : fmt::format("there was no request {}", *id),
        line);
}

}  // namespace assay
