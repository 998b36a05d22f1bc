#include "harness/schedule/store_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>

#include "harness/contract/clock.h"
#include "harness/proxy/lock_oracle.h"
#include "harness/proxy/proxy.h"
#include "harness/proxy/stopped_backends.h"
#include "harness/schedule/detail/thread_carrier.h"

namespace assay {
namespace {

using proxy::ConnectionId;
using proxy::RequestKind;
using proxy::StoreProtocol;
using proxy::StoreSession;
using scheduling::Baton;
using scheduling::Outside;
using scheduling::WayOut;

// A driver's process may be slower than a thread, and what its store does is asked for. In Redis
// few commands wait, and those are known.
constexpr Patience patience{.gate_seconds = 1};
constexpr Patience patience_with_redis{.gate_seconds = 1, .look_seconds = 0.002};
// The store's own search for deadlocks, and some time to be heard of.
constexpr double deadlock_seconds = 3;
// So long a request may take whose client was cut off.
constexpr double effect_seconds = 5;

struct Request {
  ConnectionId from;
  std::string what;
  RequestKind kind = RequestKind::plain;
};

// Where a client of the run is, as far as the store is concerned.
struct Place {
  std::deque<Request> held;
  std::optional<Request> in_store;
  int looks = 0;  // since it was let through
  // It waits in the store for another client; nobody has told it to go on.
  bool waits = false, is_stopped = false, is_answered = false;
  std::uint64_t waits_since = 0;   // the how many-th wait of the run it is
  bool is_victim = false;          // it was woken to find that there is a deadlock
  std::optional<Stopwatch> freed;  // it waits no more, and its answer has not come yet
  std::string for_what;            // for people
};

class Passage final : public StoreGates, private proxy::ProxyListener, private Outside {
 public:
  Passage(std::string url, std::unique_ptr<proxy::LockOracle> oracle, StoreProtocol protocol)
      : url_(std::move(url)),
        protocol_(protocol),
        oracle_(std::move(oracle)),
        threads_(protocol == StoreProtocol::redis ? patience_with_redis : patience, this),
        baton_(threads_.baton()) {}

  ~Passage() override {
    if (stopped_) stopped_->resume_all();
    proxy_.reset();
  }

  Status start(proxy::Upstream upstream) {
    auto started = proxy::GateProxy::start(std::move(upstream), *this);
    if (!started.ok()) return started.error();
    proxy_ = std::move(*started);
    return Done{};
  }

  Gates& gates() override { return threads_.gates(); }

  Result<std::string> url_of(int client) override {
    if (const auto known = urls_.find(client); known != urls_.end()) return known->second;
    const auto port = proxy_->add_client(client);
    if (!port.ok()) return port.error();
    return urls_[client] = proxy::url_through(url_, *port);
  }

  Explored run(std::vector<std::function<void()>> bodies, Strategy& strategy,
               const std::vector<int>& clients) override {
    {
      const std::lock_guard lock(baton_.mutex);
      clients_ = clients;
      places_.assign(bodies.size(), {});
      waits_ = 0;
      patience_for_all_.reset();
    }
    proxy_->hold(true);
    Explored explored = threads_.run(std::move(bodies), strategy);
    if (stopped_) stopped_->resume_all();
    proxy_->hold(false);
    return explored;
  }

  void begin_call(int client, const std::optional<Cut>& cut,
                  std::function<void()> on_cut) override {
    const std::lock_guard lock(baton_.mutex);
    calls_[client] = {cut, {}, {}, std::move(on_cut)};
    if (baton_.over) static_cast<void>(proxy_->hold(client, true));
  }

  Ended end_call(int client) override {
    std::unique_lock lock(baton_.mutex);
    if (baton_.over) static_cast<void>(proxy_->hold(client, false));
    // What was delivered before the cut takes effect before anybody goes on: the same each time.
    const auto is_done = [&] { return !calls_[client].delivered; };
    effects_.wait_for(lock, std::chrono::duration<double>(effect_seconds), is_done);
    return calls_.extract(client).mapped().so_far;
  }

  std::vector<Trip> take_trips() override {
    const std::lock_guard lock(baton_.mutex);
    return std::exchange(trips_, {});
  }

  std::string take_refusal() override {
    const std::lock_guard lock(baton_.mutex);
    return std::exchange(refusal_, {});
  }

 private:
  // --- what the proxy tells, in its thread ---

  void held(const proxy::HeldRequest& request) override {
    const std::lock_guard lock(baton_.mutex);
    remember(request.from);
    Request one{request.from, request.what, request.kind};
    const int number = number_of(request.from.client);
    if (number < 0) return let_through(one);
    Scheduler& scheduler = *baton_.scheduler;
    const bool is_here = baton_.clients[index(number)]->is_outside;
    if (!is_here && !scheduler.is_under_way(number)) {
      // Of a thread of the driver's own, while its client makes no call: nobody can say when.
      baton_.explored.lost_sight = true;
      return let_through(one);
    }
    at(number).held.push_back(std::move(one));
    if (is_here) return;
    at(number).for_what = request.what;
    baton_.stands_outside(number, at(number).for_what.c_str());
    baton_.let_go();
  }

  void answered(const proxy::Answer& answer) override {
    const std::lock_guard lock(baton_.mutex);
    if (const auto call = calls_.find(answer.to.client);
        call != calls_.end() && call->second.delivered == answer.to) {
      call->second.delivered.reset();
      effects_.notify_all();
    }
    const int number = number_of(answer.to.client);
    if (number < 0) return;
    Place& place = at(number);
    std::erase_if(place.held, [&](const Request& held) { return held.from == answer.to; });
    if (!place.in_store || place.in_store->from != answer.to) return;
    place.in_store.reset();
    place.is_victim = false;
    if (!std::exchange(place.waits, false)) return;
    // It was neither stopped nor its answer kept: it goes on by itself.
    baton_.explored.lost_sight = true;
    baton_.scheduler->lost_sight(number);
  }

  void kept(ConnectionId connection) override {
    const std::lock_guard lock(baton_.mutex);
    const int number = number_of(connection.client);
    if (number < 0) return static_cast<void>(proxy_->release(connection));
    at(number).is_answered = true;
    at(number).freed.reset();
    if (at(number).waits) make_ready(number);
    baton_.let_go();
  }

  void refused(ConnectionId, const std::string& why) override {
    const std::lock_guard lock(baton_.mutex);
    if (refusal_.empty()) refusal_ = why;
  }

  void closed(ConnectionId connection, const std::string&) override {
    const std::lock_guard lock(baton_.mutex);
    sessions_.erase(connection);
  }

  // --- what the baton asks ---

  void go(int number) override {
    Place& place = at(number);
    place.looks = 0;
    place.freed.reset();
    if (std::exchange(place.waits, false)) return wake(place);
    while (!place.held.empty()) {
      place.in_store = std::move(place.held.front());
      place.held.pop_front();
      let_through(*place.in_store);
    }
  }

  bool look(Scheduler& scheduler) override {
    std::vector<int> asked;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (is_waiting(static_cast<int>(i))) asked.push_back(static_cast<int>(i));
    if (asked.empty()) return true;
    const auto waiting = ask(asked);
    bool all_here = true;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (waiting[i]) continue;
      if (at(asked[i]).is_stopped)
        make_ready(asked[i]);
      else
        all_here &= !is_about_to_answer(asked[i], scheduler);
    }
    return all_here;
  }

  WayOut break_deadlock(Scheduler& scheduler) override {
    const WayOut way = way_out();
    if (way == WayOut::none) name_holders(scheduler);
    return way;
  }

  WayOut way_out() {
    if (protocol_ == StoreProtocol::redis) return end_a_wait();
    int last = -1;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Place& place = places_[i];
      if (place.waits && place.is_stopped && !place.is_victim &&
          (last < 0 || place.waits_since > at(last).waits_since))
        last = static_cast<int>(i);
    }
    if (last >= 0) {
      at(last).is_victim = true;
      make_ready(last);
      return WayOut::opened;
    }
    // The store finds out by itself where we could not stop anybody.
    const bool is_free_to_look = std::ranges::any_of(
        places_, [](const Place& place) { return place.waits && !place.is_stopped; });
    return !is_free_to_look || everybody_waits_for(deadlock_seconds) ? WayOut::none : WayOut::comes;
  }

  void give_up() override {
    if (stopped_) stopped_->resume_all();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Place& place = places_[i];
      if (!std::exchange(place.waits, false) || !place.in_store) continue;
      baton_.scheduler->lost_sight(static_cast<int>(i));
      static_cast<void>(proxy_->cut(place.in_store->from, proxy::Cut::after_delivery));
    }
  }

  bool tick(Scheduler& scheduler) override {
    const int number = scheduler.moving();
    Place& place = at(number);
    if (!place.in_store) return false;
    if (protocol_ == StoreProtocol::redis && place.in_store->kind != RequestKind::blocking)
      return true;
    // What takes long is asked for less and less often.
    const int looks = ++place.looks;
    if ((looks & (looks - 1)) != 0 && looks % 16 != 0) return true;
    if (!ask({number})[0]) return true;
    if (place.is_victim) {
      if (!place.freed) place.freed.emplace();
      if (place.freed->seconds() < deadlock_seconds) return true;
      place.freed.reset();
    }
    begin_waiting(number);
    return true;
  }

  // --- waiting in the store ---

  void begin_waiting(int number) {
    Place& place = at(number);
    place.is_stopped = stop(place.in_store->from);
    place.is_answered = false;
    if (!place.is_stopped && !proxy_->keep_answer(place.in_store->from).ok()) return;
    place.waits = true;
    place.waits_since = ++waits_;
    patience_for_all_.reset();
    place.for_what = fmt::format("another client, in the store: {}", place.in_store->what);
    baton_.scheduler->waits(number, place.for_what.c_str(), &place);
  }

  bool is_waiting(int number) {
    const Place& place = at(number);
    return place.waits && !place.is_answered && place.in_store &&
           !baton_.clients[index(number)]->is_outside;
  }

  // For whom each waits, where the store tells: for people who look for the deadlock.
  void name_holders(Scheduler& scheduler) {
    std::vector<StoreSession> all;
    std::vector<int> whose;
    for (const auto& [connection, session] : sessions_) {
      all.push_back(session);
      whose.push_back(connection.client);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Place& place = places_[i];
      if (!place.waits || !place.in_store) continue;
      const auto known = sessions_.find(place.in_store->from);
      if (known == sessions_.end()) continue;
      const auto holders = oracle_->holders(known->second, all);
      if (!holders.ok() || holders->empty()) continue;
      std::string names;
      for (const std::size_t holder : *holders)
        names += fmt::format("{}client {}", names.empty() ? "" : " and ", whose[holder]);
      place.for_what = fmt::format("{} of the plan, in the store: {}", names, place.in_store->what);
      scheduler.waits(static_cast<int>(i), place.for_what.c_str(), &place);
    }
  }

  // Whoever waited and can go on.
  void make_ready(int number) {
    baton_.clients[index(number)]->is_outside = true;
    baton_.scheduler->opened(&at(number));
  }

  // The store let it go, and its answer is on its way: who goes next must not depend on when it
  // comes. Not for ever.
  bool is_about_to_answer(int number, Scheduler& scheduler) {
    Place& place = at(number);
    if (!place.freed) place.freed.emplace();
    if (place.freed->seconds() < patience.gate_seconds) return true;
    place.waits = false;
    place.freed.reset();
    baton_.explored.lost_sight = true;
    scheduler.lost_sight(number);
    return false;
  }

  void wake(Place& place) {
    if (!place.in_store) return;
    if (std::exchange(place.is_stopped, false)) {
      if (const auto known = sessions_.find(place.in_store->from); known != sessions_.end())
        stopped_->resume(known->second);
    } else {
      static_cast<void>(proxy_->release(place.in_store->from));
    }
  }

  // Blocking commands that nobody will ever end: the time-out of the last one passes.
  WayOut end_a_wait() {
    int last = -1;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (is_waiting(static_cast<int>(i)) &&
          (last < 0 || places_[i].waits_since > at(last).waits_since))
        last = static_cast<int>(i);
    if (last < 0 || everybody_waits_for(deadlock_seconds)) return WayOut::none;
    const auto known = sessions_.find(at(last).in_store->from);
    if (known == sessions_.end() || !oracle_->end_wait(known->second).ok()) return WayOut::none;
    return WayOut::comes;
  }

  bool everybody_waits_for(double seconds) {
    if (!patience_for_all_) patience_for_all_.emplace();
    return patience_for_all_->seconds() > seconds;
  }

  // A store that does not tell is not waited in.
  std::vector<bool> ask(const std::vector<int>& numbers) {
    std::vector<StoreSession> asked, all;
    for (const int number : numbers) {
      const auto known = sessions_.find(at(number).in_store->from);
      asked.push_back(known == sessions_.end() ? StoreSession{} : known->second);
    }
    for (const auto& [connection, session] : sessions_) all.push_back(session);
    auto told = oracle_->waiting(asked, all);
    return told.ok() ? *told : std::vector<bool>(numbers.size(), false);
  }

  // Only a server that is a process of this machine, and ours to stop.
  bool stop(ConnectionId connection) {
    if (protocol_ != StoreProtocol::postgres || cannot_stop_) return false;
    if (!stopped_) {
      auto started = proxy::StoppedBackends::start();
      cannot_stop_ = !started.ok();
      if (cannot_stop_) return false;
      stopped_ = std::move(*started);
    }
    const auto known = sessions_.find(connection);
    if (known == sessions_.end()) return false;
    cannot_stop_ = !stopped_->stop(known->second).ok();
    return !cannot_stop_;
  }

  // --- ways and numbers ---

  void let_through(const Request& request) {
    trips_.push_back({request.from.client, request.what});
    if (const auto where = cut_at_this(request.from))
      static_cast<void>(proxy_->cut(request.from, *where));
    else
      static_cast<void>(proxy_->release(request.from));
  }

  std::optional<proxy::Cut> cut_at_this(ConnectionId connection) {
    const auto found = calls_.find(connection.client);
    if (found == calls_.end()) return std::nullopt;
    auto& [cut, so_far, delivered, on_cut] = found->second;
    ++so_far.gates;
    if (!cut || cut->at != so_far.gates) return std::nullopt;
    so_far.was_cut = true;
    if (on_cut) on_cut();
    switch (cut->where) {
      case CutPoint::before_delivery:
        return proxy::Cut::before_delivery;
      case CutPoint::after_delivery:
        delivered = connection;
        return proxy::Cut::after_delivery;
      case CutPoint::after_effect:
        delivered = connection;
        break;
    }
    return proxy::Cut::after_effect;
  }

  void remember(ConnectionId connection) {
    if (sessions_.contains(connection)) return;
    if (const auto session = proxy_->session(connection); session.ok())
      sessions_[connection] = *session;
  }

  // In the run that is on; -1: in none.
  int number_of(int client) const {
    if (baton_.over) return -1;
    const auto found = std::ranges::find(clients_, client);
    return found == clients_.end() ? -1 : static_cast<int>(found - clients_.begin());
  }

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  Place& at(int number) { return places_[index(number)]; }

  const std::string url_;
  const StoreProtocol protocol_;
  const std::unique_ptr<proxy::LockOracle> oracle_;
  std::unique_ptr<proxy::StoppedBackends> stopped_;
  bool cannot_stop_ = false;
  std::map<int, std::string> urls_;

  // Of the run that is on, with the baton's lock.
  std::vector<int> clients_;  // by their number in it
  std::vector<Place> places_;
  std::uint64_t waits_ = 0;
  std::optional<Stopwatch> patience_for_all_;

  // With the baton's lock, too.
  std::map<ConnectionId, StoreSession> sessions_;
  struct Call {
    std::optional<Cut> cut;
    Ended so_far;
    std::optional<ConnectionId> delivered;  // its client was cut off, and the store is at it
    std::function<void()> on_cut;
  };
  std::condition_variable effects_;
  std::map<int, Call> calls_;  // that are under way, by client
  std::vector<Trip> trips_;
  std::string refusal_;

  scheduling::ThreadCarrier threads_;
  Baton& baton_;
  std::unique_ptr<proxy::GateProxy> proxy_;  // goes first: it tells us of what happens
};

}  // namespace

Result<std::unique_ptr<StoreGates>> store_gates(const std::string& url) {
  auto upstream = proxy::upstream_of(url);
  if (!upstream.ok()) return upstream.error();
  auto oracle = proxy::lock_oracle(url);
  if (!oracle.ok()) return oracle.error();
  auto gates = std::make_unique<Passage>(url, std::move(*oracle), upstream->protocol);
  if (const Status started = gates->start(std::move(*upstream)); !started.ok())
    return started.error();
  return std::unique_ptr<StoreGates>(std::move(gates));
}

}  // namespace assay
