// Wire: one end of a plain TCP connection, in the hand of a test. Store: where such a one comes in.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "harness/contract/check.h"
#include "harness/proxy/upstream.h"

namespace assay::proxy_test {

constexpr int long_enough_ms = 60'000;

class Wire {
 public:
  explicit Wire(int socket) : socket_(socket) { CHECK(socket_ >= 0); }
  ~Wire() { close(); }
  Wire(Wire&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Wire& operator=(Wire&&) = delete;

  static Wire to(int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    CHECK(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    return Wire(socket);
  }

  void say(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // That many bytes, or as many as come before the end.
  std::string hear(std::size_t size) const {
    std::string bytes;
    while (bytes.size() < size && is_readable(long_enough_ms)) {
      std::string piece(std::min<std::size_t>(size - bytes.size(), 1 << 20), '\0');
      const ssize_t got = ::recv(socket_, piece.data(), piece.size(), 0);
      if (got <= 0) break;
      bytes.append(piece, 0, static_cast<std::size_t>(got));
    }
    return bytes;
  }

  // All until the other side ends, and how it does.
  std::string hear_all() const { return hear(std::size_t{1} << 40); }
  bool is_cut() const {
    char byte = 0;
    return is_readable(long_enough_ms) && ::recv(socket_, &byte, 1, 0) < 0 && errno == ECONNRESET;
  }
  bool is_ended() const {
    char byte = 0;
    return is_readable(long_enough_ms) && ::recv(socket_, &byte, 1, 0) == 0;
  }
  bool is_readable(int wait_ms = 0) const {
    pollfd ready{socket_, POLLIN, 0};
    return ::poll(&ready, 1, wait_ms) > 0;
  }

  void end() const { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  int get() const { return socket_; }

 private:
  int socket_;
};

// Takes connections; what is said to them is up to the test.
class Store {
 public:
  Store() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    CHECK(::bind(socket_, plain, size) == 0 && ::listen(socket_, 16) == 0);
    CHECK(::getsockname(socket_, plain, &size) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~Store() { close(); }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Wire accept() const { return Wire(::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  int port() const { return port_; }
  std::string place() const { return "127.0.0.1:" + std::to_string(port_); }

  proxy::Upstream upstream(proxy::StoreProtocol protocol) const {
    const bool is_redis = protocol == proxy::StoreProtocol::redis;
    const auto found = proxy::upstream_of((is_redis ? "redis" : "postgresql") +
                                          std::string("://127.0.0.1:") + std::to_string(port_));
    CHECK(found.ok());
    return *found;
  }

 private:
  int socket_;
  int port_ = 0;
};

}  // namespace assay::proxy_test
