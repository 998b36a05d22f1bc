// Peer: one end of a carried connection: its socket, what came from it, and what it has not taken
// yet. Bytes are moved here and nowhere else; what they mean is not known here.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/proxy/detail/byte_queue.h"
#include "harness/proxy/detail/poller.h"

namespace assay::proxy {

class Peer {
 public:
  enum class Got { bytes, nothing, end, failure };

  // Both are borrowed; `who` is what the poller tells.
  Peer(Socket socket, Poller& poller, void* who) : socket_(std::move(socket)), poller_(poller) {
    who_ = who;
  }
  ~Peer() { close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool is_open() const { return socket_.is_open(); }
  const Socket& socket() const { return socket_; }
  int failure() const { return failure_; }  // an errno, after Got::failure

  // Reads once, into `incoming`.
  Got receive();
  ByteQueue incoming;

  // Sends, in order; what the other side does not take now waits. Into a closed one nothing goes.
  void send(std::string_view bytes);
  void flush();
  std::size_t unsent() const { return outgoing_.size(); }

  // Nothing is sent any more once all of it is; the other side sees the end.
  void end_sending();
  bool has_ended() const { return ended_; }

  // Nothing is sent before `end_pending`.
  void begin_pending() { is_pending_ = true; }
  void end_pending();
  bool is_pending() const { return is_pending_; }

  void close();
  // Closes, and the other side sees the end: it would see that it was cut off where it said more
  // than was read.
  void finish();
  // The other side sees that it was cut off.
  void reset();

  // What it is to be woken for, apart from room for what waits.
  void watch(std::uint32_t events);

 private:
  Socket socket_;
  Poller& poller_;
  void* who_;
  ByteQueue outgoing_;
  std::uint32_t watched_ = 0;
  bool is_watched_ = false, is_pending_ = false, ends_ = false, ended_ = false;
  int failure_ = 0;
};

}  // namespace assay::proxy
