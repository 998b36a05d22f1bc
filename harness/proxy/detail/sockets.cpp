#include "harness/proxy/detail/sockets.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay::proxy {
namespace {

Error cannot(std::string_view what, int number) {
  return {ErrorCode::unavailable, fmt::format("cannot {}: {}", what, system_text(number)),
          LeaseReason::unstated, true};
}

void send_at_once(int socket) {
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

Result<sockaddr_storage> own_name(const Socket& socket) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0)
    return cannot("tell a socket's address", errno);
  return name;
}

}  // namespace

std::string system_text(int number) { return std::strerror(number); }

void Socket::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

Result<Socket> listen_here() {
  constexpr int waiting = 128;
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!socket.is_open() ||
      ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), waiting) != 0)
    return cannot("listen on 127.0.0.1", errno);
  return socket;
}

Result<int> port_of(const Socket& socket) {
  const auto name = own_name(socket);
  if (!name.ok()) return name.error();
  return static_cast<int>(ntohs(reinterpret_cast<const sockaddr_in&>(*name).sin_port));
}

std::string own_address(const Socket& socket) {
  const auto name = own_name(socket);
  char text[INET6_ADDRSTRLEN] = "";
  if (!name.ok()) return {};
  if (name->ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(*name);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return fmt::format("{}:{}", text, ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(*name);
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  return fmt::format("[{}]:{}", text, ntohs(v6.sin6_port));
}

Socket accept_from(const Socket& listener, int& why_not) {
  Socket socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  why_not = socket.is_open() ? 0 : errno;
  if (socket.is_open()) send_at_once(socket.get());
  return socket;
}

Result<Connecting> connect_to(const Address& address) {
  Connecting made{Socket(::socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))};
  if (!made.socket.is_open()) return cannot("make a socket", errno);
  send_at_once(made.socket.get());
  const auto* name = reinterpret_cast<const sockaddr*>(address.bytes.data());
  if (::connect(made.socket.get(), name, static_cast<socklen_t>(address.bytes.size())) == 0)
    return made;
  if (errno != EINPROGRESS) return cannot("connect to the store", errno);
  made.is_pending = true;
  return made;
}

int connect_error(const Socket& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

}  // namespace assay::proxy
