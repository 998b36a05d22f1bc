#include "harness/proxy/detail/peer.h"

#include <sys/socket.h>

#include <cerrno>

namespace assay::proxy {

Peer::Got Peer::receive() {
  constexpr std::size_t most = 64 * 1024;
  char bytes[most];
  if (!socket_.is_open()) return Got::nothing;
  const ssize_t size = ::recv(socket_.get(), bytes, most, 0);
  if (size > 0) {
    incoming.tidy();
    incoming.append({bytes, static_cast<std::size_t>(size)});
    return Got::bytes;
  }
  if (size == 0) return Got::end;
  if (errno == EAGAIN || errno == EINTR) return Got::nothing;
  failure_ = errno;
  return Got::failure;
}

void Peer::send(std::string_view bytes) {
  if (!socket_.is_open() || bytes.empty() || ended_) return;
  if (outgoing_.empty() && !is_pending_) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    // Whoever does not want it any more is noticed when he is read.
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return;
  }
  outgoing_.append(bytes);
}

void Peer::flush() {
  while (!outgoing_.empty() && !is_pending_) {
    const std::string_view bytes = outgoing_.view();
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (sent < 0)
      outgoing_.clear();
    else
      outgoing_.drop(static_cast<std::size_t>(sent));
    outgoing_.tidy();
  }
  if (ends_ && outgoing_.empty() && !is_pending_ && !std::exchange(ended_, true))
    ::shutdown(socket_.get(), SHUT_WR);
}

void Peer::end_sending() {
  ends_ = true;
  if (socket_.is_open()) flush();
}

void Peer::end_pending() {
  is_pending_ = false;
  flush();
}

void Peer::close() {
  if (std::exchange(is_watched_, false)) poller_.forget(socket_.get());
  socket_.close();
  incoming.clear();
  outgoing_.clear();
}

void Peer::finish() {
  constexpr int most_reads = 64;
  char bytes[16 * 1024];
  if (socket_.is_open() && !is_pending_) {
    ::shutdown(socket_.get(), SHUT_WR);
    for (int i = 0; i<most_reads&& ::recv(socket_.get(), bytes, sizeof bytes, 0)> 0; ++i) {
    }
  }
  close();
}

void Peer::reset() {
  const linger at_once{1, 0};
  if (socket_.is_open())
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

void Peer::watch(std::uint32_t events) {
  if (!socket_.is_open()) return;
  if (!outgoing_.empty() || is_pending_) events |= EPOLLOUT;
  if (is_watched_ && events == watched_) return;
  if (is_watched_)
    poller_.change(socket_.get(), events, who_);
  else
    poller_.watch(socket_.get(), events, who_);
  is_watched_ = true;
  watched_ = events;
}

}  // namespace assay::proxy
