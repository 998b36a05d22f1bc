// Sockets: a descriptor that closes itself, and the few ways in which the proxy makes one.
#pragma once

#include <string>
#include <utility>

#include "harness/contract/result.h"
#include "harness/proxy/upstream.h"

namespace assay::proxy {

class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  void close();

 private:
  int descriptor_ = -1;
};

// The system's own words for an errno.
std::string system_text(int number);

// Listens on a free port of 127.0.0.1. Like all of them, it never blocks.
Result<Socket> listen_here();
Result<int> port_of(const Socket& socket);

// "127.0.0.1:1234", as the other side sees us; empty where that is not known.
std::string own_address(const Socket& socket);

// A connection that somebody made; not open where there is none, with the errno.
Socket accept_from(const Socket& listener, int& why_not);

// A connection that is being made, or is there.
struct Connecting {
  Socket socket;
  bool is_pending = false;
};
Result<Connecting> connect_to(const Address& address);

// Why a pending connection failed; 0: it is there.
int connect_error(const Socket& socket);

}  // namespace assay::proxy
