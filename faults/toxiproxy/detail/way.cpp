#include "faults/toxiproxy/detail/way.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

namespace assay::toxiproxy {
namespace {

std::string written(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
    return fmt::format("[{}]", ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text));
  }
  const auto& four = reinterpret_cast<const sockaddr_in&>(address);
  return ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
}

bool is_reached(int socket, const addrinfo& address) {
  const timeval patience{5, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return ::connect(socket, address.ai_addr, address.ai_addrlen) == 0;
}

}  // namespace

Result<Way> way_to(const http::Endpoint& server) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &wanted, &found) != 0)
    found = nullptr;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, [](addrinfo* list) {
    if (list) ::freeaddrinfo(list);
  });
  for (const addrinfo* one = found; one; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    sockaddr_storage ours{}, theirs{};
    socklen_t size = sizeof ours, their_size = sizeof theirs;
    const bool is_known =
        is_reached(socket, *one) &&
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &size) == 0 &&
        ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &their_size) == 0;
    ::close(socket);
    if (is_known) return Way{written(ours), written(theirs)};
  }
  return Error{ErrorCode::unavailable,
               fmt::format("{}:{} cannot be reached", server.host, server.port)};
}

}  // namespace assay::toxiproxy
