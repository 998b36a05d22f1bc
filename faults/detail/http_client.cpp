#include "faults/detail/http_client.h"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>

namespace assay::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr std::chrono::seconds patience{10};
constexpr std::uint64_t most_body = 64 * 1024 * 1024;

// The three steps of a question, and how far they came.
class Exchange {
 public:
  Exchange(const Endpoint& whom, const Request& request) : stream_(context_) {
    request_.method_string(request.method);
    request_.target(request.target);
    request_.version(11);
    request_.set(wire::field::host, fmt::format("{}:{}", whom.host, whom.port));
    request_.set(wire::field::user_agent, "assay");
    request_.set(wire::field::connection, "close");
    if (!request.body.empty()) request_.set(wire::field::content_type, "application/json");
    request_.body() = request.body;
    request_.content_length(request.body.size());
    parser_.body_limit(most_body);
  }

  // What went wrong.
  error_code run(const Endpoint& whom) {
    tcp::resolver resolver(context_);
    const auto found = resolver.resolve(whom.host, std::to_string(whom.port), why_);
    if (why_) return why_;
    stream_.expires_after(patience);
    stream_.async_connect(found, [this](error_code why, const tcp::endpoint&) {
      was_reached = !(why_ = why);
      if (was_reached) write();
    });
    context_.run();
    return why_;
  }

  bool was_reached = false;
  wire::response_parser<wire::string_body> parser_;

 private:
  void write() {
    wire::async_write(stream_, request_, [this](error_code why, std::size_t) {
      if (!(why_ = why)) read();
    });
  }
  void read() {
    wire::async_read(stream_, buffer_, parser_,
                     [this](error_code why, std::size_t) { why_ = why; });
  }

  asio::io_context context_{1};
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  wire::request<wire::string_body> request_;
  error_code why_;
};

}  // namespace

Result<Endpoint> endpoint_from(const std::string& url, int usual_port) {
  const Error wrong = invalid(fmt::format("`{}` is no url like http://127.0.0.1:8474", url));
  constexpr std::string_view scheme = "http://";
  if (!url.starts_with(scheme)) return wrong;
  std::string_view place = std::string_view(url).substr(scheme.size());
  if (place.ends_with('/')) place.remove_suffix(1);
  Endpoint endpoint{std::string(place), usual_port};
  const std::size_t colon = place.rfind(':'), bracket = place.rfind(']');
  if (colon != place.npos && (bracket == place.npos || bracket < colon)) {
    endpoint.host = place.substr(0, colon);
    const std::string_view port = place.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
    if (error != std::errc() || end != port.data() + port.size() || endpoint.port < 1 ||
        endpoint.port > 65535)
      return wrong;
  }
  if (endpoint.host.starts_with('[') && endpoint.host.ends_with(']'))
    endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  if (endpoint.host.empty() || endpoint.host.find_first_of("/?#@ ") != std::string::npos)
    return wrong;
  return endpoint;
}

Result<Answer> ask(const Endpoint& whom, const Request& request) {
  Exchange exchange(whom, request);
  if (const error_code why = exchange.run(whom))
    return Error{ErrorCode::unavailable,
                 fmt::format("{}:{} does not answer: {}", whom.host, whom.port, why.message()),
                 LeaseReason::unstated, !exchange.was_reached};
  auto message = exchange.parser_.release();
  Answer answer{static_cast<int>(message.result_int()), {}, std::move(message.body())};
  for (const auto& field : message)
    answer.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  return answer;
}

}  // namespace assay::http
