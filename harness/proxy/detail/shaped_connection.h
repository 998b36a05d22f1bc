// ShapedConnection: a client's connection and its store's, with a chain of toxics each way.
//
// Not thread-safe: the loop's lock guards it.
#pragma once

#include <functional>
#include <vector>

#include "harness/proxy/detail/chain.h"
#include "harness/proxy/detail/loop.h"
#include "harness/proxy/detail/peer.h"
#include "harness/proxy/line_watcher.h"
#include "harness/proxy/shaping_proxy.h"

namespace assay::proxy {

// Whom to tell, and of which connection; nobody where it is null.
struct WatchedConnection {
  LineWatcher* watcher = nullptr;
  std::uint64_t number = 0;
};

class ShapedConnection final : private Timed {
 public:
  // The references are borrowed for life, but for the addresses: it connects to the first of them
  // that answers. `some_is_over` becomes true when it is.
  ShapedConnection(Socket client, const std::vector<Address>& upstream, Loop& loop,
                   ProxyCounters& counters, bool& some_is_over, WatchedConnection watched = {});
  ~ShapedConnection() override { loop_.timers().set(*this, std::nullopt); }

  Chain& chain(Direction direction) {
    return direction == Direction::upstream ? up_.chain : down_.chain;
  }
  // To be called after a chain was changed, and once after it was made.
  void go_on();

  // The upstream side is cut off; the client is not told. False: there is none.
  bool forsake();

  // Both sides are closed, and see the end.
  void close();
  bool is_over() const { return is_over_; }

 private:
  using Side = WaiterOf<ShapedConnection>;

  struct Link {
    Direction direction;
    Chain chain;
    std::uint64_t& bytes;     // that went on
    bool has_ended = false;   // whoever sends has
    bool is_through = false;  // its end was told to the other side
    std::optional<Moment> due;
  };

  void due() override { go_on(); }
  void client_ready(std::uint32_t events);
  void server_ready(std::uint32_t events);
  void connect_next();
  bool is_connected() const { return server_ && !server_->is_pending(); }
  void ready(Peer& peer, Link& from, std::uint32_t events);
  void lose(Peer& peer, Link& from);
  bool is_to_be_cut(const Link& from, bool is_cut);
  void pump(Link& link, Peer& from, Peer& to);
  void finish();
  void reset();
  void tidy();
  void settle(Peer& peer, const Link& from, const Peer& other);

  Loop& loop_;
  ProxyCounters& counters_;
  bool& some_is_over_;
  const WatchedConnection watched_;
  const std::vector<Address> upstream_;
  std::size_t tried_ = 0;  // of them
  Side client_side_, server_side_;
  Peer client_;
  std::optional<Peer> server_;
  Link up_, down_;
  bool closes_ = false;  // what is sent already is the last
  bool is_over_ = false;
};

}  // namespace assay::proxy
