#include "harness/proxy/detail/shaped_connection.h"

#include <algorithm>

namespace assay::proxy {

// Nobody is read while so much waits for his other side.
static constexpr std::size_t most_unsent = 256 * 1024;

ShapedConnection::ShapedConnection(Socket client, const std::vector<Address>& upstream, Loop& loop,
                                   ProxyCounters& counters, bool& some_is_over,
                                   WatchedConnection watched)
    : loop_(loop),
      counters_(counters),
      some_is_over_(some_is_over),
      watched_(watched),
      upstream_(upstream),
      client_side_(*this, &ShapedConnection::client_ready),
      server_side_(*this, &ShapedConnection::server_ready),
      client_(std::move(client), loop.poller(), static_cast<Waiter*>(&client_side_)),
      up_{Direction::upstream, {}, counters.bytes_up},
      down_{Direction::downstream, {}, counters.bytes_down} {
  if (watched_.watcher) watched_.watcher->opened(watched_.number, loop_.now());
  connect_next();
}

// As long as one is left; without any the client sees the end.
void ShapedConnection::connect_next() {
  server_.reset();
  while (tried_ < upstream_.size()) {
    auto made = connect_to(upstream_[tried_++]);
    if (!made.ok()) continue;
    server_.emplace(std::move(made->socket), loop_.poller(), static_cast<Waiter*>(&server_side_));
    if (made->is_pending) server_->begin_pending();
    return;
  }
  ++counters_.unreached;
  if (watched_.watcher) watched_.watcher->unreached(watched_.number);
  client_.finish();
  is_over_ = some_is_over_ = true;
}

void ShapedConnection::client_ready(std::uint32_t events) {
  if (is_over_) return;
  // Who left before there was anybody to talk to.
  if (!is_connected()) {
    static_cast<void>(is_to_be_cut(up_, false));
    client_.close();
    server_.reset();
    is_over_ = some_is_over_ = true;
    return;
  }
  ready(client_, up_, events);
  go_on();
}

void ShapedConnection::server_ready(std::uint32_t events) {
  if (is_over_ || !server_) return;
  if (server_->is_pending()) {
    if (connect_error(server_->socket()) != 0) {
      connect_next();
      return tidy();
    }
    if (!(events & EPOLLOUT)) return;
    server_->end_pending();
  }
  ready(*server_, down_, events);
  go_on();
}

void ShapedConnection::ready(Peer& peer, Link& from, std::uint32_t events) {
  if (!peer.is_open()) return;
  if (events & EPOLLOUT) peer.flush();
  const bool is_gone = events & (EPOLLERR | EPOLLHUP);
  if (from.has_ended) {
    if (is_gone) lose(peer, from);
    return;
  }
  if (!is_gone && !(events & EPOLLIN)) return;
  switch (peer.receive()) {
    case Peer::Got::bytes:
      if (from.chain.empty()) break;  // it goes on from where it lies
      from.chain.take(peer.incoming.view(), loop_.now());
      peer.incoming.clear();
      break;
    case Peer::Got::end:
      if (is_to_be_cut(from, false)) return reset();
      from.has_ended = true;
      from.chain.end(End::half);
      break;
    case Peer::Got::failure:
      lose(peer, from);
      break;
    case Peer::Got::nothing:
      break;
  }
}

// What it said goes on; then the other side is told that it is alone.
void ShapedConnection::lose(Peer& peer, Link& from) {
  const bool cuts = is_to_be_cut(from, true);
  peer.close();
  if (cuts) return reset();
  from.has_ended = true;
  if (from.is_through)
    finish();
  else
    from.chain.end(End::close);
}

// Whoever watches is told that the side which says this has ended.
bool ShapedConnection::is_to_be_cut(const Link& from, bool is_cut) {
  using Side = LineWatcher::Side;
  const Side side = from.direction == Direction::upstream ? Side::client : Side::upstream;
  return watched_.watcher && watched_.watcher->ended(watched_.number, side, is_cut, loop_.now());
}

void ShapedConnection::pump(Link& link, Peer& from, Peer& to) {
  if (is_over_ || closes_) return;
  const auto pass = [&](std::string_view bytes) {
    link.bytes += bytes.size();
    if (watched_.watcher)
      watched_.watcher->carried(watched_.number, link.direction, bytes.size(), loop_.now());
    to.send(bytes);
  };
  link.due.reset();
  if (!link.chain.empty()) {
    const std::size_t room = most_unsent - std::min(to.unsent(), most_unsent);
    Effects effects;
    link.due = link.chain.work(loop_.now(), room, effects);
    counters_.bytes_dropped += effects.dropped_bytes;
    counters_.chunks_delayed += effects.delayed_chunks;
    counters_.chunks_split += effects.split_chunks;
    // Where the other side has ended, too, nobody is left to be told late.
    const Link& other = link.direction == Direction::upstream ? down_ : up_;
    if (!other.has_ended) counters_.ends_delayed += effects.delayed_ends;
  }
  Stream& out = link.chain.out;
  if (out.end == End::reset) return reset();
  while (!out.chunks.empty()) pass(out.pop().bytes);
  if (link.chain.empty() && !from.incoming.empty()) {
    pass(from.incoming.view());
    from.incoming.clear();
  }
  if (out.end == End::close) {
    if (!link.has_ended) ++counters_.cut;
    return finish();
  }
  if (out.end == End::half && !std::exchange(link.is_through, true)) to.end_sending();
}

void ShapedConnection::go_on() {
  if (is_connected()) {
    pump(up_, client_, *server_);
    pump(down_, *server_, client_);
  }
  tidy();
}

void ShapedConnection::finish() {
  closes_ = true;
  client_.end_sending();
  if (server_) server_->end_sending();
}

void ShapedConnection::reset() {
  ++counters_.reset;
  client_.reset();
  if (server_) server_->reset();
}

bool ShapedConnection::forsake() {
  if (is_over_ || !is_connected() || !server_->is_open()) return false;
  server_->reset();
  return true;
}

void ShapedConnection::close() {
  if (is_over_) return;
  ++counters_.cut;
  static_cast<void>(is_to_be_cut(up_, false));
  client_.finish();
  if (server_) server_->finish();
  tidy();
}

// A side that has said all and was told all is done.
void ShapedConnection::settle(Peer& peer, const Link& from, const Peer& other) {
  if (!peer.is_open()) return;
  if (closes_ ? peer.unsent() == 0 : peer.has_ended() && from.has_ended) return peer.finish();
  const bool reads =
      !from.has_ended && !closes_ && from.chain.wants_more() && other.unsent() < most_unsent;
  peer.watch(reads ? static_cast<std::uint32_t>(EPOLLIN) : 0);
}

// What each side is watched for next; the end, when both are closed.
void ShapedConnection::tidy() {
  if (is_over_) return;
  if (is_connected()) {
    settle(client_, up_, *server_);
    settle(*server_, down_, client_);
  } else {
    client_.watch(0);  // it may say all it has to say, and be done, before anybody listens
    server_->watch(0);
  }
  is_over_ = !client_.is_open() && !(server_ && server_->is_open());
  some_is_over_ |= is_over_;
  std::optional<Moment> due = up_.due;
  if (down_.due) due = due ? std::min(*due, *down_.due) : down_.due;
  if (is_over_ || closes_) due.reset();
  loop_.timers().set(*this, due);
}

}  // namespace assay::proxy
