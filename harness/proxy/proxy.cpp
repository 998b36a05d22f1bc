#include "harness/proxy/proxy.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <thread>

#include "harness/proxy/detail/gated_connection.h"

namespace assay::proxy {
namespace {

void report(ProxyListener& listener, const Event& event) {
  struct Visitor {
    ProxyListener& listener;
    ConnectionId id;
    void operator()(const Opened&) { listener.opened(id); }
    void operator()(const HeldRequest& request) { listener.held(request); }
    void operator()(const Answer& answer) { listener.answered(answer); }
    void operator()(const Kept&) { listener.kept(id); }
    void operator()(const Pushed& pushed) { listener.pushed(id, pushed.what); }
    void operator()(const Refused& refused) { listener.refused(id, refused.why); }
    void operator()(const Closed& closed) { listener.closed(id, closed.why); }
  };
  std::visit(Visitor{listener, event.id}, event.what);
}

Error no_such_client(int client) { return not_found(fmt::format("there is no client {}", client)); }

}  // namespace

class GateProxy::Core {
 public:
  Core(Upstream upstream, ProxyListener& listener, std::unique_ptr<Poller> poller)
      : upstream_(std::move(upstream)), listener_(listener), poller_(std::move(poller)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  ~Core() {
    CHECK(!is_own_thread());
    thread_.request_stop();
    poller_->wake();
    thread_.join();
  }

  Result<int> add_client(int client) {
    const std::scoped_lock lock(mutex_);
    if (clients_.contains(client))
      return conflict(fmt::format("client {} has a port already", client));
    auto socket = listen_here();
    if (!socket.ok()) return socket.error();
    const auto port = port_of(*socket);
    if (!port.ok()) return port.error();
    auto door = std::make_unique<Door>(*this, client, std::move(*socket), holds_);
    poller_->watch(door->socket.get(), EPOLLIN, static_cast<Waiter*>(door.get()));
    clients_[client] = std::move(door);
    return *port;
  }

  Status remove_client(int client) {
    const Wakeful lock(*this);
    const auto found = clients_.find(client);
    if (found == clients_.end()) return no_such_client(client);
    found->second->socket.close();
    gone_.push_back(std::move(found->second));
    clients_.erase(found);
    for (auto& [id, connection] : connections_)
      if (id.client == client) connection->abandon("the client was removed");
    return Done{};
  }

  Status hold(int client, bool holds) {
    const Wakeful lock(*this);
    const auto found = clients_.find(client);
    if (found == clients_.end()) return no_such_client(client);
    found->second->holds = holds;
    for (auto& [id, connection] : connections_)
      if (id.client == client) connection->hold(holds);
    return Done{};
  }

  void hold(bool holds) {
    const Wakeful lock(*this);
    holds_ = holds;
    for (auto& [number, client] : clients_) client->holds = holds;
    for (auto& [id, connection] : connections_) connection->hold(holds);
  }

  template <class Use>
  auto with(ConnectionId id, Use use) -> decltype(use(std::declval<GatedConnection&>())) {
    const Wakeful lock(*this);
    const auto found = connections_.find(id);
    if (found == connections_.end() || found->second->is_over())
      return not_found(fmt::format("client {} has no connection {}", id.client, id.number));
    return use(*found->second);
  }

 private:
  // Where a client comes in.
  struct Door final : Waiter {
    Door(Core& core, int client, Socket socket, bool holds)
        : core(core), client(client), socket(std::move(socket)), holds(holds) {}
    void ready(std::uint32_t) override { core.accept(*this); }

    Core& core;
    const int client;
    Socket socket;
    bool holds;
    std::uint64_t last_number = 0;
  };

  // The lock, for a call that may make something happen: the thread is woken to tell of it.
  class Wakeful {
   public:
    explicit Wakeful(Core& core) : core_(core), lock_(core.mutex_) {}
    ~Wakeful() {
      if (!core_.events_.empty() && !core_.is_own_thread()) core_.poller_->wake();
    }

   private:
    Core& core_;
    const std::scoped_lock<std::mutex> lock_;
  };

  bool is_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

  void run(const std::stop_token& stop) {
    std::vector<Event> told;
    while (!stop.stop_requested()) {
      const auto ready = poller_->wait();
      {
        const std::scoped_lock lock(mutex_);
        for (const epoll_event& event : ready)
          static_cast<Waiter*>(event.data.ptr)->ready(event.events);
        bury();
        std::swap(told, events_);
      }
      tell(told, stop);
    }
    const std::scoped_lock lock(mutex_);
    connections_.clear();
    clients_.clear();
  }

  // What the listener does may make more happen.
  void tell(std::vector<Event>& told, const std::stop_token& stop) {
    while (!told.empty()) {
      for (const Event& event : told)
        if (!stop.stop_requested()) report(listener_, event);
      told.clear();
      const std::scoped_lock lock(mutex_);
      std::swap(told, events_);
    }
  }

  // Only here, where nobody has an event of theirs in hand.
  void bury() {
    gone_.clear();
    if (!std::exchange(has_ended_, false)) return;
    std::erase_if(connections_, [](const auto& entry) { return entry.second->is_over(); });
  }

  void accept(Door& door) {
    constexpr int at_once = 64;
    for (int i = 0; i < at_once && door.socket.is_open(); ++i) {
      int why_not = 0;
      Socket socket = accept_from(door.socket, why_not);
      if (!socket.is_open()) {
        if (why_not == EMFILE || why_not == ENFILE) turn_away(door);
        return;
      }
      begin(door, std::move(socket));
    }
  }

  // One that cannot be let in would wait at the door for ever, and we for it.
  void turn_away(Door& door) {
    spare_.close();
    int why_not = 0;
    accept_from(door.socket, why_not);
    open_spare();
    const ConnectionId id{door.client, ++door.last_number};
    events_.push_back(
        {id, Refused{"this process has too many open files for one more connection"}});
  }

  void begin(Door& door, Socket client) {
    const ConnectionId id{door.client, ++door.last_number};
    auto server = connect_to(upstream_.address);
    if (!server.ok()) {
      events_.push_back({id, Opened{}});
      events_.push_back({id, Closed{"the store cannot be reached: " + server.error().message}});
      return;
    }
    auto connection = std::make_unique<GatedConnection>(
        id, upstream_.protocol, std::move(client), std::move(*server), *poller_,
        [this](Event event) {
          has_ended_ |= std::holds_alternative<Closed>(event.what);
          events_.push_back(std::move(event));
        });
    connection->hold(door.holds);
    connections_[id] = std::move(connection);
  }

  void open_spare() { spare_ = Socket(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

  const Upstream upstream_;
  ProxyListener& listener_;
  const std::unique_ptr<Poller> poller_;

  std::mutex mutex_;  // guards all below
  bool holds_ = false;
  std::map<int, std::unique_ptr<Door>> clients_;
  std::map<ConnectionId, std::unique_ptr<GatedConnection>> connections_;
  std::vector<std::unique_ptr<Door>> gone_;
  bool has_ended_ = false;  // some connection has
  std::vector<Event> events_;
  Socket spare_{::open("/dev/null", O_RDONLY | O_CLOEXEC)};

  std::jthread thread_;
};

GateProxy::GateProxy(std::unique_ptr<Core> core) : core_(std::move(core)) {}
GateProxy::~GateProxy() = default;

Result<std::unique_ptr<GateProxy>> GateProxy::start(Upstream upstream, ProxyListener& listener) {
  auto poller = Poller::make();
  if (!poller.ok()) return poller.error();
  auto core = std::make_unique<Core>(std::move(upstream), listener, std::move(*poller));
  return std::unique_ptr<GateProxy>(new GateProxy(std::move(core)));
}

Result<int> GateProxy::add_client(int client) { return core_->add_client(client); }
Status GateProxy::remove_client(int client) { return core_->remove_client(client); }
Status GateProxy::hold(int client, bool holds) { return core_->hold(client, holds); }
void GateProxy::hold(bool holds) { core_->hold(holds); }

Status GateProxy::release(ConnectionId connection) {
  return core_->with(connection, [](GatedConnection& found) { return found.release(); });
}

Status GateProxy::keep_answer(ConnectionId connection) {
  return core_->with(connection, [](GatedConnection& found) { return found.keep_answer(); });
}

Status GateProxy::cut(ConnectionId connection, Cut where) {
  return core_->with(connection, [&](GatedConnection& found) { return found.cut(where); });
}

Result<StoreSession> GateProxy::session(ConnectionId connection) const {
  return core_->with(connection, [](GatedConnection& found) -> Result<StoreSession> {
    return StoreSession{found.backend_pid(), found.store_address()};
  });
}

}  // namespace assay::proxy
