#include "harness/proxy/proxy.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "harness/proxy/detail/gated_connection.h"
#include "harness/proxy/detail/loop.h"

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

class GateProxy::Core final : public Loop {
 public:
  Core(Upstream upstream, ProxyListener& listener, std::unique_ptr<Poller> poller)
      : Loop(std::move(poller)), upstream_(std::move(upstream)), listener_(listener) {
    begin();
  }
  ~Core() override { end(); }

  Result<int> add_client(int number) {
    const std::scoped_lock lock(mutex_);
    if (clients_.contains(number))
      return conflict(fmt::format("client {} has a port already", number));
    auto socket = listen_here();
    if (!socket.ok()) return socket.error();
    const auto port = port_of(*socket);
    if (!port.ok()) return port.error();
    Client& client = clients_[number];
    client = {number, holds_, 0, nullptr};
    client.door = std::make_unique<Door>(
        *this, std::move(*socket), [&](Socket came) { enter(client, std::move(came)); },
        [&] { refuse(client); });
    return *port;
  }

  Status remove_client(int client) {
    const Wakeful lock(*this);
    const auto found = clients_.find(client);
    if (found == clients_.end()) return no_such_client(client);
    shut(std::move(found->second.door));
    clients_.erase(found);
    for (auto& [id, connection] : connections_)
      if (id.client == client) connection->abandon("the client was removed");
    return Done{};
  }

  Status hold(int client, bool holds) {
    const Wakeful lock(*this);
    const auto found = clients_.find(client);
    if (found == clients_.end()) return no_such_client(client);
    found->second.holds = holds;
    for (auto& [id, connection] : connections_)
      if (id.client == client) connection->hold(holds);
    return Done{};
  }

  void hold(bool holds) {
    const Wakeful lock(*this);
    holds_ = holds;
    for (auto& [number, client] : clients_) client.holds = holds;
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
  struct Client {
    int number = 0;
    bool holds = false;
    std::uint64_t last_connection = 0;
    std::unique_ptr<Door> door;
  };

  // The lock, for a call that may make something happen: the thread is woken to tell of it.
  class Wakeful {
   public:
    explicit Wakeful(Core& core) : core_(core), lock_(core.mutex_) {}
    ~Wakeful() {
      if (!core_.events_.empty() && !core_.is_own_thread()) core_.wake();
    }

   private:
    Core& core_;
    const std::scoped_lock<std::mutex> lock_;
  };

  // What the listener does may make more happen.
  void tell(const std::stop_token& stop) override {
    while (!told_.empty()) {
      for (const Event& event : told_)
        if (!stop.stop_requested()) report(listener_, event);
      told_.clear();
      const std::scoped_lock lock(mutex_);
      std::swap(told_, events_);
    }
  }

  void tidy() override {
    std::swap(told_, events_);
    if (!std::exchange(has_ended_, false)) return;
    std::erase_if(connections_, [](const auto& entry) { return entry.second->is_over(); });
  }

  void leave() override {
    connections_.clear();
    clients_.clear();
  }

  void refuse(Client& client) {
    const ConnectionId id{client.number, ++client.last_connection};
    events_.push_back(
        {id, Refused{"this process has too many open files for one more connection"}});
  }

  void enter(Client& client, Socket socket) {
    const ConnectionId id{client.number, ++client.last_connection};
    auto server = connect_to(upstream_.address);
    if (!server.ok()) {
      events_.push_back({id, Opened{}});
      events_.push_back({id, Closed{"the store cannot be reached: " + server.error().message}});
      return;
    }
    auto connection = std::make_unique<GatedConnection>(
        id, upstream_.protocol, std::move(socket), std::move(*server), poller(),
        [this](Event event) {
          has_ended_ |= std::holds_alternative<Closed>(event.what);
          events_.push_back(std::move(event));
        });
    connection->hold(client.holds);
    connections_[id] = std::move(connection);
  }

  const Upstream upstream_;
  ProxyListener& listener_;

  // Guarded by the loop's lock.
  bool holds_ = false;
  std::map<int, Client> clients_;  // a map: a door knows its client by where that lies
  std::map<ConnectionId, std::unique_ptr<GatedConnection>> connections_;
  bool has_ended_ = false;  // some connection has
  std::vector<Event> events_;

  std::vector<Event> told_;  // of the thread alone
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
