#include "drivers/sqlite/detail/location.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace assay::lite {

Durability Location::durability() const {
  if (in_memory()) return Durability::none;
  return synchronous == Synchronous::full ? Durability::crash : Durability::restart;
}

std::string Location::shown() const {
  return in_memory() ? "the SQLite store in memory" : "the SQLite store " + path;
}

static std::optional<std::int64_t> positive(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

static bool set_option(Location& location, std::string_view name, std::string_view value) {
  if (name == "synchronous") {
    if (value == "full") return location.synchronous = Synchronous::full, true;
    if (value == "normal") return location.synchronous = Synchronous::normal, true;
    if (value == "off") return location.synchronous = Synchronous::off, true;
    return false;
  }
  const auto number = positive(value);
  if (!number || *number > 1'000'000'000) return false;
  if (name == "busy_timeout_ms") return location.busy_timeout_ms = *number, true;
  if (name == "max_pages") return location.max_pages = *number, true;
  return false;
}

Result<Location> parse_location(const std::string& url) {
  Location location;
  const std::size_t question = url.rfind('?');
  location.path = url.substr(0, question);
  if (location.path.empty() || location.path.find('\0') != std::string::npos)
    return invalid("the url '" + url + "' names no file: give a path, or :memory:");
  if (location.path == ":memory:") location.path.clear();
  std::string_view rest;
  if (question != std::string::npos) rest = std::string_view(url).substr(question + 1);
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), option.size() + 1));
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos ||
        !set_option(location, option.substr(0, equals), option.substr(equals + 1)))
      return invalid("the url '" + url + "' has the option '" + std::string(option) +
                     "'; known are synchronous=full|normal|off, busy_timeout_ms=N and max_pages=N");
  }
  return location;
}

Result<Location> private_location(const std::string& folder) {
  if (folder.empty()) return invalid("the sqlite driver needs a url or a scratch folder");
  for (int n = 1; n <= 100'000; ++n) {
    const std::string path = folder + "/sqlite-" + std::to_string(n) + ".db";
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) {
      ::close(file);
      Location location;
      location.path = path;
      return location;
    }
    if (errno != EEXIST)
      return Error{ErrorCode::unavailable,
                   "cannot make " + path + " (" + std::strerror(errno) +
                       "): the scratch folder must exist and be writable",
                   LeaseReason::unstated, true};
  }
  return Error{ErrorCode::unavailable, "the folder " + folder + " is full of private stores",
               LeaseReason::unstated, true};
}

}  // namespace assay::lite
