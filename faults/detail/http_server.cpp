#include "faults/detail/http_server.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <thread>

#include "harness/contract/clock.h"

namespace assay::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr std::chrono::seconds patience{10};
constexpr std::uint32_t most_header = 16 * 1024;
constexpr std::uint64_t most_body = 1024 * 1024;
constexpr int most_sessions = 512;

using Response = wire::response<wire::string_body>;

std::string date() {
  const auto now = std::chrono::floor<std::chrono::seconds>(RealClock().now());
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                     fmt::gmtime(static_cast<std::time_t>(now.time_since_epoch().count())));
}

Response response_from(Answer answer) {
  Response response;
  response.version(11);
  response.result(static_cast<unsigned>(answer.status));
  for (const auto& [name, value] : answer.headers) response.insert(name, value);
  response.set(wire::field::date, date());
  response.body() = std::move(answer.body);
  if (answer.status != 204) response.content_length(response.body().size());
  return response;
}

// What is no request of ours, in Go's words.
Answer refusal(const error_code& why) {
  const int status = why == wire::error::body_limit     ? 413
                     : why == wire::error::header_limit ? 431
                                                        : 400;
  const std::string_view reason = wire::obsolete_reason(static_cast<wire::status>(status)).data();
  return {status,
          {{"Content-Type", "text/plain; charset=utf-8"}},
          fmt::format("{} {}", status, reason)};
}

// One connection. It lives as long as something is under way on it, and shares itself with that.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // All are borrowed.
  Session(tcp::socket socket, const Server::Handler& handler, int& count)
      : stream_(std::move(socket)), handler_(handler), count_(count) {
    ++count_;
  }
  ~Session() { --count_; }

  void read() {
    parser_.emplace();
    parser_->header_limit(most_header);
    parser_->body_limit(most_body);
    stream_.expires_after(patience);
    wire::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](error_code why, std::size_t) { self->was_read(why); });
  }

 private:
  void was_read(const error_code& why) {
    if (why && why.category() == wire::make_error_code(wire::error::bad_method).category() &&
        why != wire::error::end_of_stream && why != wire::error::partial_message)
      return write(refusal(why), false);
    if (why) return close();
    const auto& message = parser_->get();
    Request request{std::string(message.method_string()), std::string(message.target()),
                    std::string(message[wire::field::user_agent]), message.body()};
    write(answer_to(request), message.keep_alive());
  }

  Answer answer_to(const Request& request) {
    try {
      return handler_(request);
    } catch (const std::exception& unforeseen) {
      return {500, {{"Content-Type", "text/plain; charset=utf-8"}}, unforeseen.what()};
    }
  }

  void write(Answer answer, bool keeps) {
    response_ = response_from(std::move(answer));
    if (!keeps) response_.set(wire::field::connection, "close");
    stream_.expires_after(patience);
    wire::async_write(stream_, response_,
                      [self = shared_from_this(), keeps](error_code why, std::size_t) {
                        if (why) return self->close();
                        if (keeps) return self->read();
                        self->part();
                      });
  }

  // Whoever is still sending would be cut off, and lose the answer, if he was not heard out.
  void part() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(patience);
    hear_out();
  }
  void hear_out() {
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](error_code why, std::size_t) {
                              if (why) return self->close();
                              self->hear_out();
                            });
  }

  void close() { stream_.close(); }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<wire::request_parser<wire::string_body>> parser_;
  Response response_;
  char rest_[4096];
  const Server::Handler& handler_;
  int& count_;
};

Error cannot(const Endpoint& at, const error_code& why) {
  return {ErrorCode::unavailable,
          fmt::format("cannot listen on {}:{}: {}", at.host, at.port, why.message()),
          LeaseReason::unstated, true};
}

}  // namespace

class Server::Core {
 public:
  Core(Handler handler) : handler_(std::move(handler)), acceptor_(context_) {}
  ~Core() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status listen(const Endpoint& at) {
    error_code why;
    tcp::resolver resolver(context_);
    const bool is_v6 = at.host.starts_with('[') && at.host.ends_with(']');
    const std::string host = is_v6 ? at.host.substr(1, at.host.size() - 2) : at.host;
    const auto found = resolver.resolve(host, std::to_string(at.port), why);
    if (why) return cannot(at, why);
    tcp::endpoint chosen = found.begin()->endpoint();
    for (const auto& one : found)
      if (one.endpoint().address().is_v4()) chosen = one.endpoint();
    acceptor_.open(chosen.protocol(), why);
    if (!why) acceptor_.set_option(tcp::acceptor::reuse_address(true), why);
    if (!why) acceptor_.bind(chosen, why);
    if (!why) acceptor_.listen(tcp::acceptor::max_listen_connections, why);
    if (why) return cannot(at, why);
    const tcp::endpoint bound = acceptor_.local_endpoint(why);
    if (why) return cannot(at, why);
    endpoint_ = {bound.address().to_string(), bound.port()};
    accept();
    thread_ = std::jthread([this] { context_.run(); });
    return Done{};
  }

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  void accept() {
    acceptor_.async_accept([this](error_code why, tcp::socket socket) {
      if (!why && sessions_ < most_sessions) {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        std::make_shared<Session>(std::move(socket), handler_, sessions_)->read();
      }
      if (!why) return accept();
      // Too many files are open, perhaps: to try at once would only keep us busy.
      again_.expires_after(std::chrono::milliseconds(100));
      again_.async_wait([this](error_code) { accept(); });
    });
  }

  const Handler handler_;
  int sessions_ = 0;
  Endpoint endpoint_;
  asio::io_context context_{1};  // goes before what its sessions borrow
  tcp::acceptor acceptor_;
  asio::steady_timer again_{context_};
  std::jthread thread_;
};

Server::Server(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const Endpoint& at, Handler handler) {
  auto core = std::make_unique<Core>(std::move(handler));
  if (Status listens = core->listen(at); !listens.ok()) return listens.error();
  return std::unique_ptr<Server>(new Server(std::move(core)));
}

Endpoint Server::endpoint() const { return core_->endpoint(); }

}  // namespace assay::http
