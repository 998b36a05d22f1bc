// Both readers of the protocol, fed with anything.
//
// The first line of an input says who reads the rest: `answer OP` is an answer to a request of that
// name (also hello and now), `serve PROFILE` is what a client sends to a driver of
// ours. Nothing may crash or hang or throw anything but Malformed, and what was read survives being
// written and read again.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "drivers/memory/memory.h"
#include "harness/contract/detail/operation_json.h"
#include "harness/contract/profile_json.h"
#include "harness/remote/connection.h"
#include "harness/remote/detail/messages.h"
#include "harness/remote/problems.h"
#include "harness/remote/serve.h"

namespace assay {
namespace {

using namespace detail;
using nlohmann::json;

constexpr std::size_t longest_message = 4096;

void require(bool condition, std::string_view what) {
  if (condition) return;
  fmt::print(stderr, "FAILED: {}\n", what);
  std::abort();
}

// One of each kind: what is in it does not matter to a reader of answers.
template <std::size_t... I>
std::vector<Request> each_request(std::index_sequence<I...>) {
  return {Request(std::in_place_index<I>)...};
}

std::vector<Request> each_request() {
  return each_request(std::make_index_sequence<std::variant_size_v<Request>>());
}

Response read_ok(const json& ok, const Request& request) {
  Fields fields(ok, "ok", Reading::tolerantly);
  return read_response(fields, request, read_whole_payload);
}

void check_response(const json& ok, const Request& request) {
  const Response read = read_ok(ok, request);
  const json again = parsed(ok_line(7, read));
  require(read_ok(**outcome_of(again), request) == read, "a response is another when read again");
}

void check_hello(const json& ok) {
  Fields fields(ok, "ok", Reading::tolerantly);
  fields.number("protocol");
  const std::string text = fields.any("profile").dump();
  const auto profile = profile_from_json(text);
  unknown_profile_fields(text);
  if (!profile) {
    require(profile.error().message.size() < longest_message, "a complaint is endless");
    return;
  }
  const auto again = profile_from_json(to_json(*profile));
  require(again.ok() && *again == *profile, "a profile is another when read again");
}

void check_error(const Error& error) {
  const json again = parsed(error_line(7, error));
  const auto outcome = outcome_of(again);
  require(!outcome.ok() && outcome.error() == error, "an error is another when read again");
}

void require_told(bool malformed, const std::vector<protocol::Problem>& problems) {
  require(!malformed || !problems.empty(), "what cannot be read has no problem to tell");
  for (const protocol::Problem& problem : problems)
    require(told(problem).size() < longest_message && is_utf8(told(problem)),
            "a problem is endless, or no text");
}

void read_ok_as(std::string_view op, const json& ok) {
  if (op == "hello") return check_hello(ok);
  if (op == "now") Fields(ok, "ok", Reading::tolerantly).instant("now_ms");
  for (const Request& request : each_request())
    if (op == name_of(request)) check_response(ok, request);
}

void read_answer(std::string_view op, std::string_view line) {
  const auto id = answered_id(line);
  if (!id) require(id.error().message.size() < longest_message, "a complaint is endless");
  bool malformed = !id;
  try {
    const json answer = parsed(line);
    const auto outcome = outcome_of(answer);
    if (outcome)
      read_ok_as(op, **outcome);
    else
      check_error(outcome.error());
  } catch (const Malformed& what) {
    require(what.text().size() < longest_message, "a complaint is endless");
    malformed = true;
  }
  const auto expected = static_cast<std::int64_t>(id.ok() ? *id : 7);
  require_told(malformed, protocol::problems_of_answer(op, line, expected));
}

// A file in memory: it takes and gives any number of bytes without waiting.
class Stream {
 public:
  explicit Stream(std::string_view text) : file_(::memfd_create("stream", MFD_CLOEXEC)) {
    while (!text.empty()) {
      const ssize_t written = ::write(file_, text.data(), text.size());
      require(written > 0, "a file in memory takes what is written");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(file_, 0, SEEK_SET);
  }
  ~Stream() { ::close(file_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int file() const { return file_; }

  std::string text() const {
    std::string text(static_cast<std::size_t>(::lseek(file_, 0, SEEK_END)), '\0');
    const ssize_t size = ::pread(file_, text.data(), text.size(), 0);
    require(size == static_cast<ssize_t>(text.size()), "a file in memory gives what was written");
    return text;
  }

 private:
  int file_;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
    lines.push_back(text.substr(0, end));
  return lines;
}

// The request of a line, if it is one that a session makes.
std::optional<Request> request_in(std::string_view line) {
  const auto problems = protocol::problems_of_request(line);
  require_told(false, problems);
  try {
    const json object = parsed(line);
    Fields fields(object, "", Reading::tolerantly);
    const std::string op = fields.text("op");
    if (!is_request(op)) return std::nullopt;
    const Request read = read_request(fields, op, read_whole_payload);
    const json again = parsed(request_line(7, "s", run_epoch, read));
    Fields written(again, "", Reading::tolerantly);
    require(read_request(written, op, read_whole_payload) == read,
            "a request is another when read again");
    return read;
  } catch (const Malformed&) {
    require_told(true, problems);
    return std::nullopt;
  }
}

// What we answer, we can read.
void check_answer(std::string_view request_line, std::string_view line) {
  try {
    const json answer = parsed(line);
    require(parsed(request_line).at("id") == answer.at("id"), "another request was answered");
    const auto outcome = outcome_of(answer);
    if (!outcome) return check_error(outcome.error());
    if (const auto request = request_in(request_line)) check_response(**outcome, *request);
  } catch (const Malformed& malformed) {
    require(false, fmt::format("our own answer is malformed: {}: {}", malformed.text(), line));
  }
}

void serve_requests(std::string_view profile_name, std::string_view text) {
  const Profile profile = built_in_profile(profile_name).value_or(*built_in_profile("reference"));
  VirtualClock clock;
  const ServeOptions options{"fuzzed", "1",
                             [&](std::uint64_t seed, std::optional<std::string> url) {
                               return memory().make({profile, clock, seed, std::move(url), ""});
                             }};
  const Stream requests(text), answers("");
  const Status served = serve(options, requests.file(), answers.file());
  if (!served) require(served.error().message.size() < longest_message, "a complaint is endless");
  const std::string answered = answers.text();
  const auto asked = lines_of(text);
  const auto lines = lines_of(answered);
  require(served.ok() ? lines.size() == asked.size() : lines.size() <= asked.size(),
          "each request has one answer");
  for (std::size_t i = 0; i < lines.size(); ++i) check_answer(asked[i], lines[i]);
}

}  // namespace
}  // namespace assay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string_view head = input.substr(0, end);
  const std::string_view rest = input.substr(std::min(end + 1, input.size()));
  const std::size_t blank = std::min(head.find(' '), end);
  const std::string_view name = head.substr(std::min(blank + 1, end));
  if (head.starts_with("answer")) {
    assay::read_answer(name, rest);
  } else if (head.starts_with("serve")) {
    assay::serve_requests(name, rest);
  } else {
    assay::read_answer("reserve", input);
    assay::serve_requests("reference", input);
  }
  return 0;
}
