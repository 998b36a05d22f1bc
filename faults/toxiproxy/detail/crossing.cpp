#include "faults/toxiproxy/detail/crossing.h"

#include <algorithm>

namespace assay::toxiproxy {

using namespace proxy;

namespace {

// A client that left is given up by then: his other half would have been called long ago.
constexpr Crossing::Moment given_up{1'000'000};
// What takes less on its way might as well have met nothing.
constexpr Crossing::Moment noticeable{1'000};
constexpr std::size_t most_connections = 4096;

std::int64_t number(const ToxicSpec& toxic, const char* name) {
  const auto found = toxic.attributes.find(name);
  return found == toxic.attributes.end() ? 0 : found->second;
}

Crossing::Moment milliseconds(std::int64_t count) {
  constexpr std::int64_t most = 1'000'000'000;
  return std::chrono::milliseconds(std::clamp<std::int64_t>(count, 0, most));
}

}  // namespace

void Crossing::expect(const std::vector<ToxicSpec>& toxics) {
  const std::lock_guard lock(mutex_);
  up_ = down_ = {};
  resets_ = false;
  for (const ToxicSpec& toxic : toxics) {
    Promise& to = direction_from(toxic.stream) == Direction::upstream ? up_ : down_;
    if (toxic.type == "latency") {
      const std::int64_t latency = number(toxic, "latency"), jitter = number(toxic, "jitter");
      to.earliest += milliseconds(latency - jitter);
      to.latest += milliseconds(latency + jitter);
    } else if (toxic.type == "bandwidth") {
      to.rate = std::max<std::int64_t>(number(toxic, "rate"), 1);
    } else if (toxic.type == "slicer") {
      to.piece = static_cast<std::size_t>(std::max<std::int64_t>(
          number(toxic, "average_size") + number(toxic, "size_variation"), 1));
      to.latest += milliseconds(200);
    } else if (toxic.type == "slow_close") {
      to.end = std::max(to.end, milliseconds(number(toxic, "delay")));
    } else if (toxic.type == "timeout" || toxic.type == "limit_data" ||
               toxic.type == "reset_peer") {
      to.loses = true;
      resets_ = resets_ || toxic.type == "reset_peer";
    }
  }
}

void Crossing::part() {
  const std::lock_guard lock(mutex_);
  std::erase_if(connections_, [](const Connection& one) { return one.back == 0; });
}

bool Crossing::is_joined(const Connection& connection) {
  return connection.is_sound && connection.front != 0 && connection.back != 0;
}

// --- what the relays tell ---

Crossing::Connection* Crossing::Relay::find(std::uint64_t connection) {
  for (Connection& one : all_.connections_)
    if ((is_front_ ? one.front : one.back) == connection) return &one;
  return nullptr;
}

void Crossing::Relay::opened(std::uint64_t connection, Moment now) {
  const std::lock_guard lock(all_.mutex_);
  if (!is_front_) return all_.join(connection, now);
  all_.connections_.push_back({.front = connection, .opened = now});
  if (all_.connections_.size() > most_connections) all_.connections_.pop_front();
}

void Crossing::join(std::uint64_t back, Moment now) {
  std::erase_if(connections_, [&](const Connection& one) {
    return one.back == 0 && one.down.is_over && now - one.opened > given_up;
  });
  const auto first = std::ranges::find(connections_, std::uint64_t{0}, &Connection::back);
  if (first != connections_.end()) first->back = back;
}

void Crossing::Relay::unreached(std::uint64_t connection) {
  const std::lock_guard lock(all_.mutex_);
  // Nobody was called on its behalf; the store did not answer, which is no doing of the stretch.
  if (is_front_)
    std::erase_if(all_.connections_,
                  [&](const Connection& one) { return one.front == connection; });
  else if (Connection* one = find(connection))
    one->store_ended = one->opened;
}

void Crossing::Relay::carried(std::uint64_t connection, Direction direction, std::size_t bytes,
                              Moment now) {
  const std::lock_guard lock(all_.mutex_);
  Connection* one = find(connection);
  if (!one) return;
  const bool is_up = direction == Direction::upstream;
  Flow& flow = is_up ? one->up : one->down;
  if (is_up != is_front_)
    return all_.comes_out(*one, flow, is_up ? all_.up_ : all_.down_, bytes, now);
  if (!flow.is_over) flow.under_way.push_back({.size = bytes, .left = bytes, .since = now});
}

bool Crossing::Relay::ended(std::uint64_t connection, Side side, bool, Moment now) {
  const std::lock_guard lock(all_.mutex_);
  Connection* one = find(connection);
  if (!one) return false;
  bool cuts = false;
  const bool is_far_side = (side == Side::client) == is_front_;
  if (!is_far_side) {
    cuts = all_.stretch_ends(*one, is_front_, now);
  } else if (is_front_) {
    if (!one->client_ended) one->client_ended = now;
    all_.close(*one, one->down, all_.down_, false, now);
  } else {
    if (!one->store_ended) one->store_ended = now;
    all_.close(*one, one->up, all_.up_, false, now);
  }
  all_.bury();
  return cuts;
}

// --- what follows from it ---

void Crossing::comes_out(Connection& connection, Flow& flow, const Promise& promise,
                         std::size_t bytes, Moment now) {
  const std::size_t together = bytes;
  while (bytes > 0 && !flow.under_way.empty()) {
    Piece& first = flow.under_way.front();
    const std::size_t part = std::min(bytes, first.left);
    bytes -= part;
    first.left -= part;
    if (first.left > 0) break;
    Moment late = promise.earliest;
    if (promise.rate > 0)
      late = std::max(late, Moment(static_cast<std::int64_t>(first.size) * 1000 / promise.rate));
    if (late >= noticeable && now - first.since >= late && is_joined(connection))
      ++counted_.chunks_delayed;
    held(connection, flow, promise, now);
    flow.under_way.pop_front();
  }
  if (bytes > 0) connection.is_sound = false;
  if (flow.under_way.empty() || !is_joined(connection)) return;
  Piece& rest = flow.under_way.front();
  const bool is_sliced = promise.piece > 0 && together <= promise.piece && rest.left < rest.size;
  if (is_sliced && !std::exchange(rest.is_split, true)) ++counted_.chunks_split;
}

// At the front it is the client who is told of it, at the back the store. True: he is to be cut
// off. A real Toxiproxy just closes connections that were there before its reset_peer; our relays
// make a reset of it.
bool Crossing::stretch_ends(Connection& connection, bool at_front, Moment now) {
  const bool is_its_own_doing = !connection.client_ended && !connection.store_ended;
  if (is_its_own_doing && is_joined(connection) && !std::exchange(connection.is_cut, true))
    ++(resets_ ? counted_.reset : counted_.cut);
  Flow& flow = at_front ? connection.down : connection.up;
  const Promise& promise = at_front ? down_ : up_;
  const auto& sender = at_front ? connection.store_ended : connection.client_ended;
  // Where the hearer has ended, too, the flow is over.
  if (!flow.is_over && sender && promise.end >= noticeable && now - *sender >= promise.end &&
      is_joined(connection))
    ++counted_.ends_delayed;
  close(connection, flow, promise, connection.is_cut, now);
  return resets_ && connection.is_cut;
}

void Crossing::close(const Connection& connection, Flow& flow, const Promise& promise,
                     bool all_is_lost, Moment now) {
  if (std::exchange(flow.is_over, true)) return;
  held(connection, flow, promise, now);
  lose_old(connection, flow, promise, now);
  if (all_is_lost && promise.loses && is_joined(connection))
    for (const Piece& piece : flow.under_way)
      counted_.bytes_dropped += piece.is_lost ? 0 : piece.left;
  flow.under_way.clear();
}

static Crossing::Moment most(Crossing::Moment latest, std::int64_t rate, std::size_t bytes) {
  const Crossing::Moment carrying(rate > 0 ? static_cast<std::int64_t>(bytes) * 1000 / rate : 0);
  return latest + carrying + Crossing::patience;
}

void Crossing::lose_old(const Connection& connection, Flow& flow, const Promise& promise,
                        Moment now) {
  if (!promise.loses || !is_joined(connection)) return;
  std::size_t bytes = 0;
  for (Piece& piece : flow.under_way) {
    bytes += piece.left;
    if (now - piece.since <= most(promise.latest, promise.rate, bytes)) return;
    if (!std::exchange(piece.is_lost, true)) counted_.bytes_dropped += piece.left;
  }
}

// By the first that is under way; one who has no other half yet waits for all that he said.
void Crossing::held(const Connection& connection, const Flow& flow, const Promise& promise,
                    Moment now) {
  if (promise.loses || flow.under_way.empty() || !connection.is_sound) return;
  std::size_t bytes = 0;
  for (const Piece& piece : flow.under_way) bytes += piece.left;
  longest_ = std::max(
      longest_, now - flow.under_way.front().since - most(promise.latest, promise.rate, bytes));
}

Crossing::Moment Crossing::longest_hold(Moment now) {
  const std::lock_guard lock(mutex_);
  for (const Connection& one : connections_) {
    if (!one.up.is_over) held(one, one.up, up_, now);
    if (!one.down.is_over) held(one, one.down, down_, now);
  }
  return std::exchange(longest_, Moment(0));
}

bool Crossing::is_known(const Flow& flow, const Promise& promise, Moment now) {
  if (flow.is_over || flow.under_way.empty()) return true;
  std::size_t bytes = 0;
  for (const Piece& piece : flow.under_way) bytes += piece.left;
  return now - flow.under_way.back().since > most(promise.latest, promise.rate, bytes);
}

bool Crossing::is_settled(Moment now) {
  const std::lock_guard lock(mutex_);
  const auto is_told = [&](const Flow& flow, const Promise& promise, const auto& sender) {
    return !sender || flow.is_over || now - *sender > promise.end + patience;
  };
  return std::ranges::all_of(connections_, [&](const Connection& one) {
    return !is_joined(one) ||
           (is_known(one.up, up_, now) && is_known(one.down, down_, now) &&
            is_told(one.up, up_, one.client_ended) && is_told(one.down, down_, one.store_ended));
  });
}

ProxyCounters Crossing::counters(Moment now) {
  const std::lock_guard lock(mutex_);
  for (Connection& one : connections_) {
    lose_old(one, one.up, up_, now);
    lose_old(one, one.down, down_, now);
  }
  return counted_;
}

void Crossing::bury() {
  std::erase_if(connections_, [](const Connection& one) {
    return one.back != 0 && one.up.is_over && one.down.is_over;
  });
}

}  // namespace assay::toxiproxy
