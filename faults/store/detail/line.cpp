#include "faults/store/detail/line.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/proxy/upstream.h"

namespace assay::faults {

static constexpr int patience_seconds = 10;

Result<Line> Line::to(const std::string& url) {
  const auto upstream = proxy::upstream_of(url);
  if (!upstream.ok()) return upstream.error();
  const auto& address = upstream->address.bytes;
  Line line(::socket(upstream->address.family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  timeval patience{};
  patience.tv_sec = patience_seconds;
  ::setsockopt(line.socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(line.socket_, reinterpret_cast<const sockaddr*>(address.data()),
                static_cast<socklen_t>(address.size())) != 0)
    return Error{ErrorCode::unavailable,
                 fmt::format("the server takes no connection: {}", std::strerror(errno))};
  return line;
}

Line::Line(Line&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
Line& Line::operator=(Line&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}
Line::~Line() { close(); }

void Line::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

bool Line::say(const std::string& bytes) {
  return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

std::string Line::hear() {
  char bytes[4096];
  const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
  return got > 0 ? std::string(bytes, static_cast<std::size_t>(got)) : std::string();
}

Login login_in(const std::string& url) {
  const auto begin = url.find("://");
  const auto end = url.find('@');
  if (begin == url.npos || end == url.npos) return {};
  const std::string both = url.substr(begin + 3, end - begin - 3);
  const auto colon = both.find(':');
  return colon == both.npos ? Login{both, ""}
                            : Login{both.substr(0, colon), both.substr(colon + 1)};
}

}  // namespace assay::faults
