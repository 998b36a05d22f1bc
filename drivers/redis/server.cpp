#include "drivers/redis/detail/server.h"

#include <charconv>

namespace assay::rds {

static constexpr int oldest_major = 6, oldest_minor = 2;

// A line of INFO, "name:value".
static std::string info_value(std::string_view info, std::string_view name) {
  const std::string start = "\n" + std::string(name) + ":";
  const std::size_t at = info.find(start);
  if (at == info.npos) return {};
  info.remove_prefix(at + start.size());
  return std::string(info.substr(0, info.find_first_of("\r\n")));
}

static bool is_too_old(std::string_view version) {
  int major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const auto [dot, error] = std::from_chars(version.data(), end, major);
  if (error != std::errc()) return false;
  if (dot != end) std::from_chars(dot + 1, end, minor);
  return major < oldest_major || (major == oldest_major && minor < oldest_minor);
}

Status check_server(Connection& connection, const std::string& where) {
  const Reply reply = connection.ask({"INFO"});
  // Some hosts let nobody ask; then the first call will show what is wrong.
  if (reply.value().is_error()) {
    const ServerCode code = server_code(reply.value().text());
    if (code == ServerCode::other || code == ServerCode::noperm) return Done{};
    throw Failure{Trouble::refused, std::string(reply.value().text()), code};
  }
  const std::string_view info = reply.value().text();
  if (info_value(info, "loading") == "1") throw Failure{Trouble::refused, "", ServerCode::loading};
  if (info_value(info, "role") == "slave")
    throw Failure{Trouble::refused, "", ServerCode::readonly};
  const std::string version = info_value(info, "redis_version");
  if (is_too_old(version))
    return unsupported(where + " is of version " + version + "; the driver needs " +
                       std::to_string(oldest_major) + "." + std::to_string(oldest_minor) +
                       " or newer");
  const std::string policy = info_value(info, "maxmemory_policy");
  if (!policy.empty() && policy != "noeviction")
    return unsupported(where + " throws keys away when its memory is full (maxmemory-policy is " +
                       policy + "), so it would lose jobs: set maxmemory-policy to noeviction");
  return Done{};
}

// Empty where the server does not tell.
static std::string setting(Connection& connection, std::string_view name) {
  const Reply reply = connection.ask({"CONFIG", "GET", name});
  if (reply.value().is_error() || reply.value().size() < 2) return {};
  return std::string(reply[1].text());
}

Durability durability_of(Connection& connection) {
  if (setting(connection, "appendonly") == "yes")
    return setting(connection, "appendfsync") == "always" ? Durability::crash : Durability::restart;
  // With a snapshot rule it takes one when it is shut down in good order.
  return setting(connection, "save").empty() ? Durability::none : Durability::restart;
}

}  // namespace assay::rds
