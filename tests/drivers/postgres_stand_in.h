// StandIn: answers the beginning of a client's talk with a PostgreSQL server, and nothing after it.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace assay::pg_test {

// A message of the server's: its kind, its length, its text.
inline std::string message(char kind, const std::string& text) {
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(text.size() + 4));
  return kind + std::string(reinterpret_cast<const char*>(&length), 4) + text;
}

inline std::string fatal(const std::string& state, const std::string& said) {
  const std::string end(1, '\0');
  return message('E', "SFATAL" + end + "VFATAL" + end + "C" + state + end + "M" + said + end + end);
}

// Every client is let in, and told this version.
inline std::string welcome(const std::string& version) {
  const std::string end(1, '\0');
  return message('R', std::string(4, '\0')) + message('S', "server_version" + end + version + end) +
         message('S', "client_encoding" + end + "UTF8" + end) + message('K', std::string(8, 'k')) +
         message('Z', "I");
}

class StandIn {
 public:
  // Says this to every client that introduces itself.
  explicit StandIn(std::string said) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, plain, size) != 0 || ::listen(socket_, 8) != 0) return;
    ::getsockname(socket_, plain, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, said = std::move(said)] { serve(said); });
  }

  ~StandIn() {
    ::shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    ::close(socket_);
  }

  std::string url() const {
    return fmt::format(
        "host=127.0.0.1 port={} user=me password=hunter2 dbname=d sslmode=disable "
        "gssencmode=disable connect_timeout=2",
        port_);
  }

 private:
  void serve(const std::string& said) const {
    for (int client = ::accept(socket_, nullptr, nullptr); client >= 0;
         client = ::accept(socket_, nullptr, nullptr)) {
      char heard[4096];
      if (::recv(client, heard, sizeof heard, 0) > 0)
        static_cast<void>(::send(client, said.data(), said.size(), MSG_NOSIGNAL));
      ::shutdown(client, SHUT_WR);
      while (::recv(client, heard, sizeof heard, 0) > 0) {
      }
      ::close(client);
    }
  }

  int socket_;
  int port_ = 0;
  std::jthread thread_;
};

}  // namespace assay::pg_test
