// Raw HTTP: bytes to a server, and what it answers, byte for byte.
#pragma once

#include <fmt/format.h>

#include <regex>
#include <string>

#include "tests/harness/proxy/wire.h"

namespace assay::faults_test {

using proxy_test::Wire;

inline int port_in(const std::string& place) {
  return std::stoi(place.substr(place.rfind(':') + 1));
}

inline std::string request(const std::string& method, const std::string& path,
                           const std::string& body = "", const std::string& headers = "") {
  return fmt::format("{} {} HTTP/1.1\r\nHost: x\r\n{}Content-Length: {}\r\n\r\n{}", method, path,
                     headers, body.size(), body);
}

// Without what differs from time to time: the date, the id, which of our versions it is.
inline std::string steady(const std::string& answer) {
  static const std::regex passing("(Date|X-Toxiproxy-Request-Id|Server): [^\r\n]*\r\n");
  return std::regex_replace(answer, passing, "");
}

// All that a server says to these bytes until it closes.
inline std::string said_to(int port, const std::string& bytes) {
  const Wire wire = Wire::to(port);
  wire.say(bytes);
  return wire.hear_all();
}

// The answer to one request.
inline std::string asked(int port, const std::string& method, const std::string& path,
                         const std::string& body = "") {
  const std::string answer = said_to(port, request(method, path, body, "Connection: close\r\n"));
  std::string plain = steady(answer);
  const std::string close = "Connection: close\r\n";
  if (const auto at = plain.find(close); at != plain.npos) plain.erase(at, close.size());
  return plain;
}

}  // namespace assay::faults_test
