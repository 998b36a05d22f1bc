#include "harness/proxy/detail/places.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <memory>

namespace assay::proxy {
namespace {

struct Place {
  std::string host;
  std::string port;
};

Result<Place> split(const std::string& text) {
  const auto wrong = [&](std::string_view why) {
    return invalid(fmt::format("address {}: {}", text, why));
  };
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return wrong("missing ']' in address");
    if (end + 1 == text.size()) return wrong("missing port in address");
    if (text[end + 1] != ':') return wrong("missing port in address");
    return Place{text.substr(1, end - 1), text.substr(end + 2)};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return wrong("missing port in address");
  if (text.find(':') != colon) return wrong("too many colons in address");
  return Place{text.substr(0, colon), text.substr(colon + 1)};
}

Result<int> port_from(const std::string& text) {
  int port = 0;
  if (text.empty()) return port;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error == std::errc() && end == text.data() + text.size() && port >= 0 && port <= 65535)
    return port;
  const bool is_number = std::all_of(text.begin(), text.end(), [](unsigned char letter) {
    return std::isdigit(letter) || letter == '-';
  });
  return is_number ? invalid(fmt::format("address {}: invalid port", text))
                   : invalid(fmt::format("lookup tcp/{}: unknown port", text));
}

std::vector<Address> look_up(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return {};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  std::vector<Address> all;
  for (const addrinfo* one = found; one; one = one->ai_next)
    all.push_back({one->ai_family,
                   std::string(reinterpret_cast<const char*>(one->ai_addr), one->ai_addrlen)});
  // As in Go: whoever says localhost means 127.0.0.1 first.
  std::stable_partition(all.begin(), all.end(),
                        [](const Address& address) { return address.family == AF_INET; });
  return all;
}

std::string text_of(const Address& address) {
  char host[NI_MAXHOST] = "", port[NI_MAXSERV] = "";
  ::getnameinfo(reinterpret_cast<const sockaddr*>(address.bytes.data()),
                static_cast<socklen_t>(address.bytes.size()), host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
  return address.family == AF_INET6 ? fmt::format("[{}]:{}", host, port)
                                    : fmt::format("{}:{}", host, port);
}

Result<Address> listening_address(const std::string& listen) {
  const auto place = listen.empty() ? Place{"", "0"} : split(listen);
  if (!place.ok()) return place.error();
  const auto port = port_from(place->port);
  if (!port.ok()) return port.error();
  const auto found = look_up(place->host.empty() ? "127.0.0.1" : place->host, *port);
  if (found.empty()) return invalid(fmt::format("lookup {}: no such host", place->host));
  return found.front();
}

}  // namespace

Result<std::string> listening_place(const std::string& listen) {
  const auto address = listening_address(listen);
  if (!address.ok()) return address.error();
  return text_of(*address);
}

Result<Socket> listen_on(const std::string& listen) {
  constexpr int waiting = 1024;
  const auto refused = [](std::string message) {
    return Error{ErrorCode::unavailable, std::move(message), LeaseReason::unstated, true};
  };
  const auto address = listening_address(listen);
  if (!address.ok()) return refused("listen tcp: " + address.error().message);
  const auto cannot = [&](std::string_view what) {
    std::string why = system_text(errno);
    std::transform(why.begin(), why.begin() + 1, why.begin(), ::tolower);
    return refused(fmt::format("listen tcp {}: {}: {}", text_of(*address), what, why));
  };
  Socket socket(::socket(address->family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return cannot("socket");
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const auto* name = reinterpret_cast<const sockaddr*>(address->bytes.data());
  if (::bind(socket.get(), name, static_cast<socklen_t>(address->bytes.size())) != 0)
    return cannot("bind");
  if (::listen(socket.get(), waiting) != 0) return cannot("listen");
  return socket;
}

std::vector<Address> addresses_of(const std::string& text) {
  const auto place = split(text);
  if (!place.ok()) return {};
  const auto port = port_from(place->port);
  if (!port.ok()) return {};
  return look_up(place->host.empty() ? "127.0.0.1" : place->host, *port);
}

}  // namespace assay::proxy
