// Crossing: what a stretch of a line that we do not see into has done, by what went in at one end
// of it and came out at the other. Relays of ours stand before it (the front, to which clients
// come) and behind it (the back, which calls the store) and tell of every connection.
//
// Halves of a connection are joined in the order in which they come: whoever stands between calls
// the back for each client that he takes, one after the other, as Toxiproxy does in its accept
// loop. Of one that has no other half nothing is concluded.
//
// Thread-safe. Knows no sockets and no clock.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "harness/proxy/line_watcher.h"
#include "harness/proxy/lines.h"

namespace assay::toxiproxy {

class Crossing {
 public:
  using Moment = proxy::LineWatcher::Moment;

  // What comes out of a stretch that is in order comes out within this time.
  static constexpr Moment patience{50'000};

  // What the relays are to tell; both live as long as this.
  proxy::LineWatcher& front() { return front_; }
  proxy::LineWatcher& back() { return back_; }

  // The toxics on it from now on: they say what is late, and whether something may be lost.
  void expect(const std::vector<proxy::ToxicSpec>& toxics);

  // All connections were closed: who has no other half gets none any more.
  void part();

  // Whether it is known of all that went in what became of it.
  bool is_settled(Moment now);

  // What came out took at most so long beyond what the toxics say, or has taken so long and is not
  // out, since this was last asked. Where something may be lost nothing is known of that.
  Moment longest_hold(Moment now);

  // How much it cut, reset, dropped, delayed and split; the rest is for the relays to say. What has
  // not come out long after it should have is lost, where something may be lost.
  proxy::ProxyCounters counters(Moment now);

 private:
  using Side = proxy::LineWatcher::Side;

  // What the toxics of a direction promise.
  struct Promise {
    Moment earliest{}, latest{};  // a byte that is not lost comes out at least, at most so late
    std::int64_t rate = 0;        // bytes a millisecond; 0: any
    std::size_t piece = 0;        // what is longer comes in pieces; 0: nothing does
    Moment end{};                 // at least so late it is told that somebody has ended
    bool loses = false;
  };
  struct Piece {
    std::size_t size = 0, left = 0;
    Moment since{};
    bool is_lost = false, is_split = false;  // and counted
  };
  // One direction of a connection.
  struct Flow {
    std::deque<Piece> under_way;
    bool is_over = false;  // nothing comes out any more
  };
  struct Connection {
    std::uint64_t front = 0, back = 0;  // 0: it has no such half
    Moment opened{};
    Flow up{}, down{};
    std::optional<Moment> client_ended{}, store_ended{};
    bool is_cut = false;   // by the stretch, and counted
    bool is_sound = true;  // what came out went in: its halves belong together
  };

  class Relay final : public proxy::LineWatcher {
   public:
    Relay(Crossing& all, bool is_front) : all_(all), is_front_(is_front) {}
    void opened(std::uint64_t connection, Moment now) override;
    void unreached(std::uint64_t connection) override;
    void carried(std::uint64_t connection, proxy::Direction direction, std::size_t bytes,
                 Moment now) override;
    bool ended(std::uint64_t connection, Side side, bool is_cut, Moment now) override;

   private:
    Connection* find(std::uint64_t connection);

    Crossing& all_;
    const bool is_front_;
  };

  void join(std::uint64_t back, Moment now);
  void comes_out(Connection& connection, Flow& flow, const Promise& promise, std::size_t bytes,
                 Moment now);
  bool stretch_ends(Connection& connection, bool at_front, Moment now);
  void close(const Connection& connection, Flow& flow, const Promise& promise, bool all_is_lost,
             Moment now);
  void held(const Connection& connection, const Flow& flow, const Promise& promise, Moment now);
  void lose_old(const Connection& connection, Flow& flow, const Promise& promise, Moment now);
  static bool is_known(const Flow& flow, const Promise& promise, Moment now);
  static bool is_joined(const Connection& connection);
  void bury();

  std::mutex mutex_;
  Relay front_{*this, true}, back_{*this, false};
  std::list<Connection> connections_;  // in the order in which they came
  Promise up_, down_;
  bool resets_ = false;  // a toxic is there that cuts connections off
  proxy::ProxyCounters counted_;
  Moment longest_{};
};

}  // namespace assay::toxiproxy
