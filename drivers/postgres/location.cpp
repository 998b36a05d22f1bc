#include "drivers/postgres/detail/location.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace assay::pg {

static bool is_secret(std::string_view option) {
  return option == "password" || option == "sslpassword" || option == "passfile";
}

Result<Location> Location::parse(const std::string& url) {
  char* said = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> found(
      PQconninfoParse(url.c_str(), &said), PQconninfoFree);
  // libpq's own words may quote the url, and so a password.
  const std::unique_ptr<char, void (*)(void*)> message(said, PQfreemem);
  if (!found || url.find('\0') != std::string::npos)
    return invalid(
        "the url is not one that PostgreSQL's library can read: give "
        "postgresql://USER@HOST:PORT/DATABASE, or host=... port=... user=... dbname=...");
  Location location;
  for (const PQconninfoOption* option = found.get(); option->keyword; ++option) {
    if (!option->val) continue;
    location.options_.emplace_back(option->keyword, option->val);
    if (is_secret(option->keyword) && *option->val) location.secrets_.emplace_back(option->val);
  }
  return location;
}

static std::string quoted(const std::string& value) {
  std::string text = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

// A server that is gone without a word is noticed within some ten seconds.
std::string Location::conninfo() const {
  static const std::pair<const char*, const char*> ours[] = {
      {"connect_timeout", "5"},  {"keepalives_idle", "5"},      {"keepalives_interval", "2"},
      {"keepalives_count", "3"}, {"tcp_user_timeout", "10000"}, {"application_name", "assay"}};
  std::string text;
  for (const auto& [name, value] : options_) text += name + "=" + quoted(value) + " ";
  for (const auto& [name, value] : ours)
    if (std::ranges::none_of(options_, [&](const auto& given) { return given.first == name; }))
      text += std::string(name) + "=" + quoted(value) + " ";
  return text;
}

Duration Location::connect_timeout() const {
  constexpr int most = 3600;
  for (const auto& [name, value] : options_)
    if (const int seconds = std::atoi(value.c_str()); name == "connect_timeout" && seconds > 0)
      return Duration{1000} * std::min(seconds, most);
  return Duration{5000};
}

std::string Location::shown() const {
  std::string text;
  for (const auto& [name, value] : options_)
    if (name == "host" || name == "hostaddr" || name == "port" || name == "dbname" ||
        name == "user")
      text += " " + name + "=" + value;
  return "the PostgreSQL server" + (text.empty() ? "" : " (" + text.substr(1) + ")");
}

std::string Location::cleaned(std::string text) const {
  for (const std::string& secret : secrets_)
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 3))
      text.replace(at, secret.size(), "***");
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace assay::pg
