#include "harness/remote/serve.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/contract/detail/operation_json.h"
#include "harness/contract/profile_json.h"
#include "harness/remote/connection.h"
#include "harness/remote/detail/messages.h"
#include "harness/remote/detail/wait.h"

namespace assay {
namespace {

using namespace detail;

std::string now_object(Instant now) {
  std::string text;
  JsonObject object(text);
  object.instant("now_ms", now);
  object.end();
  return text;
}

// No clock of ours goes beyond the instants that a contract speaks of.
Result<Instant> advanced(Driver& driver, Duration by) {
  const Result<Instant> now = driver.now();
  if (!now) return now;
  if (by > end_of_time - *now) return invalid("by_ms: leads beyond the year 9999");
  if (by.count() < -to_ms(*now)) return invalid("by_ms: leads back beyond 1970");
  return driver.advance(by);
}

class Server {
 public:
  explicit Server(const ServeOptions& options) : options_(options) {}

  // The answer's line; an error where the request has no id to answer to.
  Result<std::string> answer(std::string_view line) {
    std::uint64_t id = 0;
    try {
      const nlohmann::json request = parsed(line);
      Fields fields(request, "", Reading::tolerantly);
      id = fields.unsigned_number("id");
      try {
        std::string answer = answer_to(id, fields);
        if (answer.size() <= max_line_bytes) return answer;
        return error_line(id, {ErrorCode::internal, "the answer would be longer than 16 MiB"});
      } catch (const Malformed& malformed) {
        return error_line(id, invalid(malformed.text()));
      }
    } catch (const Malformed& malformed) {
      return invalid(malformed.text());
    }
  }

 private:
  std::string answer_to(std::uint64_t id, Fields& fields) {
    const std::string op = fields.text("op");
    if (op == "hello") return hello(id, fields);
    if (op == "setup") return setup(id, fields);
    if (op == "teardown") return teardown(id);
    if (op == "open") return open(id, fields);
    if (op == "now") return time(id, [](Driver& driver) { return driver.now(); });
    if (op == "advance") {
      const Duration by = fields.duration("by_ms");
      return time(id, [&](Driver& driver) { return advanced(driver, by); });
    }
    if (!is_request(op))
      return error_line(id, {ErrorCode::unsupported, fmt::format("there is no operation {}", op)});
    return operation(id, op, fields);
  }

  std::string hello(std::uint64_t id, Fields& fields) {
    if (const auto version = fields.number("protocol"); version != protocol_version)
      return error_line(
          id, {ErrorCode::unsupported,
               fmt::format("this driver speaks protocol {}, not {}", protocol_version, version)});
    const auto driver = options_.make(0, std::nullopt);
    if (!driver) return error_line(id, driver.error());
    std::string text;
    JsonObject ok(text);
    ok.number("protocol", protocol_version);
    ok.text("name", options_.name);
    ok.text("version", options_.version);
    Profile profile = (*driver)->profile();
    if (!options_.shared) profile.capabilities.erase("shared_storage");
    ok.member("profile") += to_json(profile);
    ok.end();
    return ok_line(id, text);
  }

  // A driver anew for each namespace: one that merely attached has nothing to tear down.
  std::string setup(std::uint64_t id, Fields& fields) {
    sessions_.clear();
    driver_.reset();
    Setup setup{fields.text("namespace")};
    std::uint64_t seed = 0;
    if (fields.has("options")) {
      Fields options = fields.object("options");
      if (!options.flag_or("create", true)) setup.create = Create::never;
      if (options.has("seed")) seed = options.unsigned_number("seed");
    }
    auto made = options_.make(seed, fields.maybe_text("url"));
    if (!made) return error_line(id, made.error());
    if (const Status ready = (*made)->setup(setup); !ready) return error_line(id, ready.error());
    driver_ = std::move(*made);
    return ok_line(id, "{}");
  }

  std::string teardown(std::uint64_t id) {
    if (!driver_) return ok_line(id, "{}");
    sessions_.clear();
    if (const Status gone = driver_->teardown(); !gone) return error_line(id, gone.error());
    driver_.reset();
    return ok_line(id, "{}");
  }

  std::string open(std::uint64_t id, Fields& fields) {
    const std::string name = fields.text("session");
    const auto role = role_from(fields.text("role"));
    if (!role) fields.wrong("role", "must be producer, worker or admin");
    if (!driver_) return error_line(id, no_namespace());
    if (const auto known = sessions_.find(name); known != sessions_.end() && !known->second.closed)
      return error_line(id, {ErrorCode::conflict, fmt::format("{} is open already", name)});
    auto session = driver_->open({name, *role});
    if (!session) return error_line(id, session.error());
    sessions_.insert_or_assign(name, Open{std::move(*session), false});
    return ok_line(id, "{}");
  }

  template <class Ask>
  std::string time(std::uint64_t id, Ask ask) {
    if (!driver_) return error_line(id, no_namespace());
    const Result<Instant> now = ask(*driver_);
    return now ? ok_line(id, now_object(*now)) : error_line(id, now.error());
  }

  std::string operation(std::uint64_t id, const std::string& op, Fields& fields) {
    const std::string name = fields.text("session");
    const Instant now = instant_from_ms(fields.number_or("now_ms", 0));
    const Request request = read_request(fields, op, read_whole_payload);
    const auto session = sessions_.find(name);
    if (session == sessions_.end()) {
      if (std::holds_alternative<Close>(request)) return ok_line(id, "{}");
      return error_line(id, {ErrorCode::closed, fmt::format("there is no session {}", name)});
    }
    const Result<Response> response = perform(*session->second.session, now, request);
    if (std::holds_alternative<Close>(request)) session->second.closed = true;
    return response ? ok_line(id, *response) : error_line(id, response.error());
  }

  struct Open {
    std::unique_ptr<Session> session;
    bool closed = false;
  };

  static Error no_namespace() { return {ErrorCode::invalid, "no namespace is set up"}; }

  const ServeOptions& options_;
  std::unique_ptr<Driver> driver_;
  // Closed ones are kept: they have their own word for whoever goes on using them.
  std::map<std::string, Open, std::less<>> sessions_;
};

Error failed(std::string_view what) {
  return {ErrorCode::unavailable, fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

Status write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(output, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{output, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return failed("write an answer");
    }
  }
  return Done{};
}

}  // namespace

Status serve(const ServeOptions& options, int input, int output) {
  Server server(options);
  InputWait wait;
  std::string partial, answers;
  std::string buffer(64 * 1024, '\0');
  for (;;) {
    pollfd ready{input, POLLIN, 0};
    wait.wait(&ready, 1, -1);
    const ssize_t size = ::read(input, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return failed("read a request");
    if (size == 0)
      return partial.empty() ? Status(Done{}) : invalid("the input ended within a line");
    std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    answers.clear();
    for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos;) {
      partial.append(bytes.substr(0, end));
      bytes.remove_prefix(end + 1);
      const Result<std::string> answer = server.answer(partial);
      partial.clear();
      if (!answer) {
        if (Status written = write_all(output, answers); !written) return written;
        return invalid("a request is not one: " + answer.error().message);
      }
      answers.append(*answer).push_back('\n');
      // What is there is answered together; a large answer is not held back.
      if (answers.size() > buffer.size()) {
        if (Status written = write_all(output, answers); !written) return written;
        answers.clear();
      }
    }
    partial.append(bytes);
    if (partial.size() > max_line_bytes) return invalid("a request is longer than 16 MiB");
    if (Status written = write_all(output, answers); !written) return written;
  }
}

}  // namespace assay
