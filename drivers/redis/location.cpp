#include "drivers/redis/detail/location.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace assay::rds {

std::string Location::shown() const {
  std::string text = "the Redis at ";
  if (!socket.empty())
    text += socket;
  else
    text += (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" +
            std::to_string(port);
  if (database != 0) text += ", database " + std::to_string(database);
  return text;
}

static std::optional<std::int64_t> number(std::string_view text, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < 0 || value > most) return std::nullopt;
  return value;
}

static std::optional<std::string> decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    int byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const auto [end, error] = std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16);
    if (error != std::errc() || end != &text[i + 1] + 2) return std::nullopt;
    bytes += static_cast<char>(byte);
    i += 2;
  }
  return bytes;
}

static Error bad_url(const std::string& what) {
  return invalid("the driver's url " + what +
                 ": write redis://user:password@host:port/database or unix:///path/to/socket");
}

static bool set_option(Location& location, std::string_view name, std::string_view value) {
  const auto given = number(value, 1'000'000'000);
  if (!given) return false;
  if (name == "db") return location.database = *given, true;
  if (name == "connect_timeout_ms" && *given > 0) return location.connect_timeout_ms = *given, true;
  if (name == "timeout_ms" && *given > 0) return location.timeout_ms = *given, true;
  return false;
}

static Status read_options(Location& location, std::string_view rest) {
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), option.size() + 1));
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string_view name = option.substr(0, equals);
    if (equals == option.size() || !set_option(location, name, option.substr(equals + 1)))
      return invalid("the driver's url has the option '" + std::string(name) +
                     "'; known are db=N, connect_timeout_ms=N and timeout_ms=N");
  }
  return Done{};
}

// What stands before the last `@`.
static Status read_login(Location& location, std::string_view login) {
  const std::size_t colon = std::min(login.find(':'), login.size());
  const auto user = decoded(login.substr(0, colon));
  const auto password = colon < login.size() ? decoded(login.substr(colon + 1)) : std::string();
  if (!user || !password)
    return bad_url("has a % in user or password that no two hex digits follow");
  location.user = *user;
  location.password = *password;
  return Done{};
}

static Status read_address(Location& location, std::string_view rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view address = rest.substr(0, slash);
  const std::string_view database = slash < rest.size() ? rest.substr(slash + 1) : "";
  if (!database.empty()) {
    const auto given = number(database, 1'000'000'000);
    if (!given) return bad_url("names a database that is not a number");
    location.database = *given;
  }
  if (address.starts_with('[')) {
    const std::size_t end = address.find(']');
    if (end == std::string_view::npos) return bad_url("has a [ without its ]");
    location.host = address.substr(1, end - 1);
    address.remove_prefix(end + 1);
  } else {
    const std::size_t colon = std::min(address.find(':'), address.size());
    if (colon > 0) location.host = address.substr(0, colon);
    address.remove_prefix(colon);
  }
  if (address.empty()) return Done{};
  const auto port = address[0] == ':' ? number(address.substr(1), 65535) : std::nullopt;
  if (!port || *port == 0) return bad_url("has no port behind its host");
  location.port = *port;
  return Done{};
}

Result<Location> parse_location(const std::string& url) {
  Location location;
  std::string_view rest = url;
  if (rest.find('\0') != std::string_view::npos) return bad_url("has a zero byte in it");
  if (rest.starts_with("rediss://"))
    return unsupported(
        "the driver's url asks for TLS (rediss://), which the hiredis of this build cannot do: use "
        "redis:// through a tunnel, or a unix socket");
  const bool is_socket = rest.starts_with("unix://");
  if (!is_socket && !rest.starts_with("redis://")) return bad_url("is not one of a Redis server");
  rest.remove_prefix(is_socket ? 7 : 8);
  // A password may hold anything but these two, which it has to write with a %.
  const std::size_t host = rest.substr(0, rest.find('?')).rfind('@');
  if (host != std::string_view::npos) {
    if (Status read = read_login(location, rest.substr(0, host)); !read.ok()) return read.error();
    rest.remove_prefix(host + 1);
  }
  const std::size_t question = std::min(rest.find('?'), rest.size());
  const std::string_view place = rest.substr(0, question);
  if (is_socket) {
    if (!place.starts_with('/')) return bad_url("names no socket");
    location.socket = place;
  } else if (Status read = read_address(location, place); !read.ok()) {
    return read.error();
  }
  if (question < rest.size())
    if (Status read = read_options(location, rest.substr(question + 1)); !read.ok())
      return read.error();
  return location;
}

}  // namespace assay::rds
