#include "harness/proxy/upstream.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace assay::proxy {
namespace {

constexpr int postgres_port = 5432, redis_port = 6379;

// Where "HOST:PORT" stands in a url.
struct Place {
  std::size_t begin = 0, size = 0;
};

Place place_in(std::string_view url) {
  const std::size_t scheme = url.find("://") + 3;
  const std::size_t end = std::min(url.find_first_of("/?", scheme), url.size());
  // A password may have a slash in it, but then it must be written with a %.
  const std::size_t at = url.substr(scheme, end - scheme).rfind('@');
  const std::size_t begin = at == std::string_view::npos ? scheme : scheme + at + 1;
  return {begin, end - begin};
}

Status read_place(std::string_view place, Upstream& upstream) {
  std::size_t colon = place.rfind(':');
  if (place.starts_with('[')) {
    const std::size_t end = place.find(']');
    if (end == place.npos) return invalid("the url has a [ without its ]");
    upstream.host = place.substr(1, end - 1);
    if (colon < end) colon = place.npos;
  } else {
    upstream.host = place.substr(0, colon);
  }
  if (upstream.host.empty()) upstream.host = "127.0.0.1";
  if (colon == place.npos) return Done{};
  const std::string_view port = place.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), upstream.port);
  if (error != std::errc() || end != port.data() + port.size() || upstream.port < 1 ||
      upstream.port > 65535)
    return invalid(fmt::format("the url has '{}' for a port", port));
  return Done{};
}

// Of "host=a port=1": the last word for a name counts.
std::string_view value_of(std::string_view words, std::string_view name) {
  std::string_view found;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=')
      found = word.substr(name.size() + 1);
  }
  return found;
}

Status look_up(Upstream& upstream) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(upstream.host.c_str(), std::to_string(upstream.port).c_str(), &wanted, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  if (error != 0)
    return Error{ErrorCode::unavailable,
                 fmt::format("the host {} is not known: {}", upstream.host, ::gai_strerror(error)),
                 LeaseReason::unstated, true};
  upstream.address.family = found->ai_family;
  upstream.address.bytes.assign(reinterpret_cast<const char*>(found->ai_addr), found->ai_addrlen);
  return Done{};
}

}  // namespace

Result<Upstream> upstream_of(const std::string& url) {
  Upstream upstream;
  Status read = Done{};
  if (url.starts_with("rediss://"))
    return unsupported(
        "a store that is reached by TLS alone (rediss://) cannot be proxied: what is said to it "
        "must "
        "be read on the way");
  for (const char* mode : {"sslmode=require", "sslmode=verify-ca", "sslmode=verify-full"})
    if (url.find(mode) != url.npos)
      return unsupported(fmt::format(
          "a store that is reached by TLS alone ({}) cannot be proxied: what is said to "
          "it must be read on the way",
          mode));
  if (url.starts_with("postgresql://") || url.starts_with("postgres://") ||
      url.starts_with("redis://")) {
    const bool is_redis = url.starts_with("redis");
    upstream.protocol = is_redis ? StoreProtocol::redis : StoreProtocol::postgres;
    upstream.port = is_redis ? redis_port : postgres_port;
    const Place place = place_in(url);
    read = read_place(std::string_view(url).substr(place.begin, place.size), upstream);
  } else if (url.find("host=") != url.npos && url.find("://") == url.npos) {
    const std::string_view host = value_of(url, "host"), port = value_of(url, "port");
    upstream.port = postgres_port;
    read =
        read_place(port.empty() ? std::string(host) : fmt::format("{}:{}", host, port), upstream);
  } else {
    return invalid("the url is of no Postgres and no Redis that is reached by TCP");
  }
  if (!read.ok()) return read.error();
  if (upstream.host.starts_with('/') || upstream.host.starts_with('%'))
    return unsupported("a store that is reached by a socket file cannot be proxied");
  if (Status found = look_up(upstream); !found.ok()) return found.error();
  return upstream;
}

std::string url_through(const std::string& url, int port) {
  if (url.find("://") == url.npos)
    return fmt::format("{} host=127.0.0.1 hostaddr=127.0.0.1 port={}", url, port);
  const Place place = place_in(url);
  return std::string(url).replace(place.begin, place.size, fmt::format("127.0.0.1:{}", port));
}

}  // namespace assay::proxy
