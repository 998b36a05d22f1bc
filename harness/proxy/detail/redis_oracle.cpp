// Redis is asked for its list of clients: those in a blocking command have the flag b.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>

#include "harness/contract/clock.h"
#include "harness/proxy/detail/oracles.h"
#include "harness/proxy/detail/resp_replies.h"
#include "harness/proxy/detail/sockets.h"

namespace assay::proxy {
namespace {

std::string command(const std::vector<std::string>& words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

std::string decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::sscanf(std::string(text.substr(i + 1, 2)).c_str(), "%2x", &byte) == 1) {
      bytes += static_cast<char>(byte);
      i += 2;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

// AUTH as the url says; nothing where it has no password.
std::string login_of(std::string_view url) {
  const std::size_t begin = url.find("://") + 3;
  const std::size_t at = url.substr(0, url.find('?')).rfind('@');
  if (at == url.npos || at < begin) return {};
  const std::string_view login = url.substr(begin, at - begin);
  const std::size_t colon = std::min(login.find(':'), login.size());
  const std::string user = decoded(login.substr(0, colon));
  const std::string password = decoded(login.substr(std::min(colon + 1, login.size())));
  return user.empty() ? command({"AUTH", password}) : command({"AUTH", user, password});
}

// The line of this connection: "id=3 addr=127.0.0.1:1234 ... flags=b ..."; nothing: there is none.
std::string_view line_of(std::string_view list, const StoreSession& session) {
  const std::size_t at = list.find(" addr=" + session.address + " ");
  if (session.address.empty() || at == list.npos) return {};
  const std::size_t begin = list.rfind('\n', at) + 1;
  return list.substr(begin, list.find('\n', at) - begin);
}

bool is_blocked(std::string_view line) {
  const std::size_t at = line.find(" flags=");
  if (at == line.npos) return false;
  const std::string_view flags = line.substr(at + 7);
  return flags.substr(0, flags.find(' ')).find('b') != flags.npos;
}

class RedisOracle final : public LockOracle {
 public:
  RedisOracle(const std::string& url, Upstream upstream)
      : upstream_(std::move(upstream)), login_(login_of(url)) {}

  Result<std::vector<bool>> waiting(std::span<const StoreSession> asked,
                                    std::span<const StoreSession>) override {
    std::vector<bool> found(asked.size(), false);
    if (asked.empty()) return found;
    if (Status ready = be_connected(); !ready.ok()) return ready.error();
    static const std::string list = command({"CLIENT", "LIST"});
    const auto reply = ask(list);
    if (!reply.ok()) return reply.error();
    for (std::size_t i = 0; i < asked.size(); ++i) found[i] = is_blocked(line_of(*reply, asked[i]));
    return found;
  }

  Status end_wait(const StoreSession& session) override {
    if (Status ready = be_connected(); !ready.ok()) return ready;
    const auto list = ask(command({"CLIENT", "LIST"}));
    if (!list.ok()) return list.error();
    const std::string_view line = line_of(*list, session);
    constexpr std::string_view before = "id=";
    const std::size_t at = line.find(before);
    if (at == line.npos) return not_found("Redis does not know this connection");
    const std::string_view id = line.substr(at + before.size());
    const auto ended =
        ask(command({"CLIENT", "UNBLOCK", std::string(id.substr(0, id.find(' '))), "TIMEOUT"}));
    return ended.ok() ? Status(Done{}) : Status(ended.error());
  }

  Status be_connected() {
    if (socket_.is_open()) return Done{};
    auto made = connect_to(upstream_.address);
    if (!made.ok()) return made.error();
    socket_ = std::move(made->socket);
    if (login_.empty()) return Done{};
    const auto reply = ask(login_);
    return reply.ok() ? Status(Done{}) : Status(reply.error());
  }

 private:
  Result<std::string> ask(std::string_view request) {
    const Stopwatch watch;
    while (!request.empty()) {
      const ssize_t sent = ::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL);
      if (sent > 0)
        request.remove_prefix(static_cast<std::size_t>(sent));
      else if (errno != EAGAIN || !wait_for(POLLOUT, watch))
        return lost(system_text(errno));
    }
    std::string all;
    RespReplies replies;
    while (!replies.is_whole()) {
      char bytes[64 * 1024];
      const ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, 0);
      if (got == 0) return lost("it closed the connection");
      if (got < 0 && (errno != EAGAIN || !wait_for(POLLIN, watch)))
        return lost(errno == EAGAIN ? "no answer in time" : system_text(errno));
      if (got < 0) continue;
      const std::string_view piece(bytes, static_cast<std::size_t>(got));
      replies.take(piece);
      all.append(piece);
      if (replies.is_broken()) return lost("what it answers is no reply");
    }
    if (replies.is_error()) return lost(std::string(replies.first_text()));
    return all;
  }

  bool wait_for(short events, const Stopwatch& watch) const {
    const int left = oracle_patience_ms - static_cast<int>(watch.seconds() * 1000);
    pollfd ready{socket_.get(), events, 0};
    return left > 0 && ::poll(&ready, 1, left) > 0;
  }

  Error lost(const std::string& why) {
    socket_.close();
    return {ErrorCode::unavailable, "Redis does not tell who waits: " + why};
  }

  const Upstream upstream_;
  const std::string login_;
  Socket socket_;
};

}  // namespace

Result<std::unique_ptr<LockOracle>> redis_oracle(const std::string& url, const Upstream& upstream) {
  auto oracle = std::make_unique<RedisOracle>(url, upstream);
  if (Status ready = oracle->be_connected(); !ready.ok()) return ready.error();
  return std::unique_ptr<LockOracle>(std::move(oracle));
}

}  // namespace assay::proxy
