#include "harness/proxy/detail/gated_connection.h"

#include <fmt/format.h>

#include "harness/contract/random.h"

namespace assay::proxy {
namespace {

constexpr std::size_t kibibyte = 1024, mebibyte = 1024 * kibibyte;
// A message that is not whole goes on when so much of it is here, where it may.
constexpr std::size_t streamed = 64 * kibibyte;
// Nobody is read while so much waits for his other side.
constexpr std::size_t most_unsent = 256 * kibibyte;
// What may be kept: of a request, of an answer, behind a held request.
constexpr std::size_t most_held = 64 * mebibyte;
constexpr std::size_t most_behind = mebibyte;

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
  if (!is_held_) return nothing_held();
  deliver();
  take_client();
  tidy();
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
  if (where == Cut::after_effect && is_released_)
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

// Reads what came from the client, until there is a request to hold.
void GatedConnection::take_client() {
  std::size_t passes = 0;  // of what was read
  while (!is_whole_ && !has_client_ended_ && client_read_ < client_.incoming.size()) {
    const Reading reading = talk_->client(client_.incoming.view().substr(client_read_));
    client_read_ += reading.size;
    switch (reading.seen) {
      case Seen::pass:
        passes = client_read_;
        break;
      case Seen::request:
        if (holds_ && !has_begun_) {
          is_whole_ = true;
        } else {
          talk_->delivered();
          passes = client_read_;
        }
        has_begun_ = false;
        break;
      case Seen::part:
      case Seen::nothing:
        if (holds_ && !has_begun_) break;
        if (reading.seen == Seen::part || client_read_ >= streamed) {
          passes = client_read_;
          has_begun_ = true;
        }
        break;
      case Seen::reply:
        client_.incoming.drop(std::exchange(client_read_, 0));
        client_.send(talk_->reply());
        break;
      default:
        pass_to_server(passes);
        return refuse(talk_->why());
    }
  }
  pass_to_server(passes);
  if (!is_whole_ && client_read_ > most_held)
    return refuse(
        fmt::format("a request of more than {} MiB is too large to be held", most_held / mebibyte));
  announce();
}

void GatedConnection::pass_to_server(std::size_t size) {
  if (size == 0) return;
  server_.send(client_.incoming.view().substr(0, size));
  client_.incoming.drop(size);
  client_read_ -= size;
}

void GatedConnection::pass_to_client(std::size_t size) {
  if (size == 0) return;
  if (gets_answer()) client_.send(server_.incoming.view().substr(0, size));
  server_.incoming.drop(size);
  server_read_ -= size;
  message_begin_ = message_begin_ > size ? message_begin_ - size : 0;
}

// A request is told of when all before it are answered: then it is the next step of its client.
void GatedConnection::announce() {
  if (!is_whole_ || is_held_ || is_released_ || talk_->outstanding() > 0) return;
  is_held_ = true;
  const std::string_view request = client_.incoming.view().substr(0, client_read_);
  const bool is_postgres = protocol_ == StoreProtocol::postgres;
  tell(HeldRequest{id_, is_postgres ? describe_postgres(request) : describe_redis(request),
                   stable_hash(request), talk_->kind()});
}

void GatedConnection::deliver() {
  is_held_ = is_whole_ = false;
  is_released_ = true;
  const bool has_answer = talk_->delivered();
  pass_to_server(client_read_);
  if (!has_answer) end_answer(Outcome::none, true);
}

void GatedConnection::end_answer(Outcome outcome, bool seen) {
  is_released_ = false;
  tell(Answer{id_, outcome, seen && gets_answer()});
  if (cut_) lose_client("the connection was cut");
}

void GatedConnection::withdraw() {
  is_held_ = is_whole_ = false;
  client_.incoming.clear();
  client_read_ = 0;
  tell(Answer{id_, Outcome::withdrawn, false});
}

// Reads what came from the server. The answer of a request that was held goes on when it is whole.
void GatedConnection::take_server() {
  std::size_t passes = 0;
  while (!has_server_ended_ && server_read_ < server_.incoming.size()) {
    const Reading reading = talk_->server(server_.incoming.view().substr(server_read_));
    server_read_ += reading.size;
    switch (reading.seen) {
      case Seen::nothing:
        continue;
      case Seen::push:
        if (client_.is_open())
          tell(Pushed{shortened(
              server_.incoming.view().substr(message_begin_, server_read_ - message_begin_))});
        if (!is_released_ || message_begin_ == 0) passes = server_read_;
        break;
      case Seen::answer:
        if (is_released_) {
          pass_to_client(server_read_);
          passes = 0;
          take_answer();
        } else {
          passes = server_read_;
          announce();
        }
        break;
      case Seen::copy:
        if (is_released_) {
          pass_to_client(std::exchange(passes, 0));
          take_copy();
        } else {
          passes = server_read_;
        }
        break;
      case Seen::drop:
        server_.incoming.replace(message_begin_, server_read_ - message_begin_, {});
        server_read_ = message_begin_;
        break;
      case Seen::refused:
        pass_to_client(passes);
        return server_ended(talk_->why());
      default:
        if (!is_released_) passes = server_read_;
    }
    message_begin_ = server_read_;
  }
  pass_to_client(passes);
  const std::size_t most_kept = is_released_ ? most_held : streamed;
  if (server_read_ >= most_kept || !gets_answer()) pass_to_client(server_read_);
}

void GatedConnection::take_answer() {
  end_answer(talk_->is_error() ? Outcome::error : Outcome::ok, true);
  take_client();
}

void GatedConnection::take_copy() {
  const Conversation::Refusal refusal = talk_->refuse_copy();
  tell(Refused{"COPY cannot be held at a gate: it is no request with one answer"});
  server_.incoming.replace(message_begin_, server_read_ - message_begin_, refusal.to_client);
  server_read_ = message_begin_ + refusal.to_client.size();
  server_.send(refusal.to_server);
  if (refusal.goes_on) return;
  pass_to_client(server_read_);
  server_ended("the store began to copy without end");
}

// What the client sent and nobody held goes on; what is held goes with him.
void GatedConnection::client_ended(std::string why, bool is_gone) {
  if (is_gone) client_.close();
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
