#include "harness/proxy/detail/gated_connection.h"

namespace assay::proxy {
namespace {

// Nobody is read while so much waits for his other side.
constexpr std::size_t most_unsent = 256 * 1024;
// So much may be kept behind a held request.
constexpr std::size_t most_behind = 1024 * 1024;

Error nothing_held() { return conflict("this connection has no held request"); }

}  // namespace

GatedConnection::GatedConnection(ConnectionId id, StoreProtocol protocol, Socket client,
                                 Connecting server, Poller& poller, Sink sink)
    : id_(id),
      protocol_(protocol),
      sink_(std::move(sink)),
      talk_(protocol == StoreProtocol::postgres ? postgres_conversation() : redis_conversation()),
      client_end_(*this, &GatedConnection::client_ready),
      server_end_(*this, &GatedConnection::server_ready),
      client_(std::move(client), poller, static_cast<Waiter*>(&client_end_)),
      server_(std::move(server.socket), poller, static_cast<Waiter*>(&server_end_)) {
  if (server.is_pending) server_.begin_pending();
  tell(Opened{});
  tidy();
}

void GatedConnection::hold(bool holds) {
  if (std::exchange(holds_, holds) == holds) return;
  if (!holds && is_kept_) give_answer();
  if (!holds) keeps_answer_ = false;
  if (!holds && is_held_) {
    deliver();
  } else if (!holds && is_whole_) {
    is_whole_ = false;
    talk_->delivered();
    pass_to_server(client_read_);
  }
  take_client();
  tidy();
}

Status GatedConnection::release() {
  if (is_kept_) {
    give_answer();
  } else if (is_held_) {
    deliver();
    take_client();
  } else {
    return nothing_held();
  }
  tidy();
  return Done{};
}

Status GatedConnection::keep_answer() {
  if (!is_released_) return conflict("this connection has no request under way");
  keeps_answer_ = true;
  return Done{};
}

Status GatedConnection::cut(Cut where) {
  if (is_over_ || !client_.is_open()) return conflict("this connection is closed");
  const bool is_under_way = is_released_ || talk_->outstanding() > 0;
  if (where == Cut::before_delivery && is_under_way)
    return conflict("the request of this connection was delivered before");
  if (where == Cut::after_effect && !is_held_ && !is_released_)
    return conflict("this connection has no request whose answer could be kept back");
  if (where == Cut::before_delivery && is_held_) withdraw();
  if (is_held_) deliver();
  if (where == Cut::after_effect && is_released_ && !is_kept_)
    cut_ = where;
  else
    lose_client("the connection was cut");
  tidy();
  return Done{};
}

void GatedConnection::abandon(const std::string& why) {
  if (is_over_) return;
  if (why_.empty()) why_ = why;
  client_.close();
  server_ended(why);
  tidy();
}

void GatedConnection::client_ready(std::uint32_t events) {
  if (is_over_ || !client_.is_open()) return;
  if (events & EPOLLOUT) client_.flush();
  // What is paused is looked at only to see whether anybody is there.
  const bool is_gone = events & (EPOLLERR | EPOLLHUP);
  if (events & EPOLLIN) {
    switch (client_.receive()) {
      case Peer::Got::bytes:
        take_client();
        break;
      case Peer::Got::end:
        client_ended("the client closed", is_gone);
        break;
      case Peer::Got::failure:
        client_ended("the client is gone: " + system_text(client_.failure()), true);
        break;
      case Peer::Got::nothing:
        break;
    }
  } else if (is_gone || (events & EPOLLRDHUP)) {
    client_ended("the client closed", is_gone);
  }
  tidy();
}

void GatedConnection::server_ready(std::uint32_t events) {
  if (is_over_ || !server_.is_open()) return;
  if (server_.is_pending()) {
    if (const int error = connect_error(server_.socket())) {
      server_ended("the store cannot be reached: " + system_text(error));
      return tidy();
    }
    if (!(events & EPOLLOUT)) return;
    server_.end_pending();
  }
  if (events & EPOLLOUT) server_.flush();
  if (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) {
    switch (server_.receive()) {
      case Peer::Got::bytes:
        take_server();
        break;
      case Peer::Got::end:
        server_ended("the store closed");
        break;
      case Peer::Got::failure:
        server_ended("the store is gone: " + system_text(server_.failure()));
        break;
      case Peer::Got::nothing:
        break;
    }
  }
  tidy();
}

// What the client sent and nobody held goes on; what is held goes with him.
void GatedConnection::client_ended(std::string why, bool is_gone) {
  if (is_gone) client_.close();
  if (is_kept_) give_answer();
  if (has_client_ended_) return;
  has_client_ended_ = true;
  if (why_.empty()) why_ = std::move(why);
  if (const std::string early = talk_->left_early(); !early.empty()) tell(Refused{early});
  if (is_held_) withdraw();
  client_.incoming.clear();
  client_read_ = 0;
  is_whole_ = false;
  server_.end_sending();
}

void GatedConnection::lose_client(std::string why) {
  client_.reset();
  client_ended(std::move(why), true);
}

// Whatever it said before goes on; then the client sees the end too.
void GatedConnection::server_ended(std::string why) {
  if (has_server_ended_) return;
  has_server_ended_ = true;
  if (why_.empty()) why_ = std::move(why);
  if (is_kept_) give_answer();
  pass_to_client(server_read_);
  server_.close();
  if (is_held_) withdraw();
  if (is_released_) {
    is_released_ = false;
    tell(Answer{id_, Outcome::broken, false});
  }
  client_.end_sending();
}

void GatedConnection::refuse(const std::string& why) {
  tell(Refused{why});
  if (why_.empty()) why_ = why;
  client_.end_sending();
  client_.close();
  client_ended(why, true);
}

// What each side is watched for next; the end, when both are closed.
void GatedConnection::tidy() {
  if (is_over_) return;
  if (has_server_ended_ && client_.unsent() == 0) client_.close();
  if (!client_.is_open() && !server_.is_open()) {
    is_over_ = true;
    tell(Closed{why_});
    return;
  }
  const std::size_t most_here = is_whole_ ? client_read_ + most_behind : most_held + most_behind;
  const bool reads_client =
      !has_client_ended_ && server_.unsent() < most_unsent && client_.incoming.size() < most_here;
  // Who is not read may still go.
  const std::uint32_t only_its_end = EPOLLRDHUP, its_bytes = EPOLLIN, nothing = 0;
  const bool waits_for_its_end = !has_client_ended_ && is_whole_;
  client_.watch(reads_client ? its_bytes : waits_for_its_end ? only_its_end : nothing);
  server_.watch(client_.unsent() < most_unsent ? its_bytes : nothing);
}

}  // namespace assay::proxy
