#include "harness/history/jsonl.h"

#include <fmt/format.h>

#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "harness/contract/detail/json_reader.h"
#include "harness/contract/detail/json_writer.h"
#include "harness/contract/profile_json.h"
#include "harness/contract/random.h"
#include "harness/history/detail/lines.h"

namespace assay {

using detail::Fields;
using detail::history_schema;
using detail::JsonObject;
using detail::Malformed;

std::string header_line(const History& history) {
  std::string line;
  JsonObject object(line);
  object.text("kind", "history");
  object.number("schema", history_schema);
  object.text("driver", history.driver);
  object.member("profile") += to_json(history.profile);
  object.text("plan", history.plan);
  object.texts("clients", history.clients);
  object.end();
  return line;
}

void write_jsonl(const History& history, std::ostream& out) {
  out << header_line(history) << '\n';
  for (const auto& event : history.events) out << event_line(event, history.clients) << '\n';
}

std::uint64_t history_hash(const History& history) {
  std::uint64_t hash = stable_hash("");
  for (const auto& event : history.events)
    hash = stable_hash(event_line(event, history.clients) + '\n', hash);
  return hash;
}

std::string trace_of(const History& history) {
  std::string trace;
  if (history.events.size() > trace_max_events) return trace;
  for (const auto& event : history.events)
    trace += fmt::format("{:02x}", stable_hash(event_line(event, history.clients)) >> 56);
  return trace;
}

namespace {

class Reader {
 public:
  void line(const nlohmann::json& object) {
    Fields fields(object, "");
    const std::string kind = fields.text("kind");
    if (!headed_)
      header(fields, kind);
    else
      history_.events.push_back(events_.event(fields, kind));
    fields.finish();
  }

  bool headed() const { return headed_; }
  History take() { return std::move(history_); }

 private:
  void header(Fields& fields, const std::string& kind) {
    if (kind != "history") fields.wrong("kind", "the first line must be the history's header");
    if (const auto found = fields.number("schema"); found != history_schema)
      fields.wrong("schema", fmt::format("is {}; this version reads {}", found, history_schema));
    history_.driver = fields.text("driver");
    history_.plan = fields.text("plan");
    history_.clients = fields.texts("clients");
    auto profile = profile_from_json(fields.any("profile").dump());
    if (!profile.ok()) fields.wrong("profile", profile.error().message);
    history_.profile = *profile;
    events_.name_clients(history_.clients);
    headed_ = true;
  }

  History history_;
  detail::EventReader events_;
  bool headed_ = false;
};

}  // namespace

Result<History> read_jsonl(std::istream& in) {
  Reader reader;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    const auto object = nlohmann::json::parse(text, nullptr, false);
    if (object.is_discarded())
      return invalid(fmt::format(
          "line {}: {}", number,
          in.eof() ? "the file is cut short: its last line is incomplete" : "is not valid JSON"));
    try {
      reader.line(object);
    } catch (const Malformed& malformed) {
      return invalid(fmt::format("line {}: {}", number, malformed.text()));
    }
  }
  if (in.bad()) return Error{ErrorCode::unavailable, "the history cannot be read"};
  if (!reader.headed()) return invalid("line 1: there is no history: the file is empty");
  return reader.take();
}

}  // namespace assay
