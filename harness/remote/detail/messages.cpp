#include "harness/remote/detail/messages.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "harness/contract/detail/operation_json.h"
#include "harness/remote/problems.h"
#include "harness/remote/schema.h"

namespace assay::detail {
namespace {

// {"id":7,"op":"...", and what `fields` adds.
template <class Fields_>
std::string line(std::uint64_t id, std::string_view op, Fields_ fields) {
  std::string text;
  JsonObject object(text);
  object.unsigned_number("id", id);
  object.text("op", op);
  fields(object);
  object.end();
  return text;
}

}  // namespace

std::string hello_line(std::uint64_t id) {
  return line(id, "hello", [](JsonObject& o) { o.number("protocol", protocol_version); });
}

std::string setup_line(std::uint64_t id, const SetupFields& setup) {
  return line(id, "setup", [&](JsonObject& o) {
    o.text("namespace", setup.name_space);
    if (setup.url)
      o.text("url", *setup.url);
    else
      o.member("url") += "null";
    JsonObject options(o.member("options"));
    options.flag("create", setup.create);
    options.unsigned_number("seed", setup.seed);
    options.end();
  });
}

std::string teardown_line(std::uint64_t id, std::string_view name_space) {
  return line(id, "teardown", [&](JsonObject& o) { o.text("namespace", name_space); });
}

std::string open_line(std::uint64_t id, std::string_view session, Role role) {
  return line(id, "open", [&](JsonObject& o) {
    o.text("session", session);
    o.text("role", name_of(role));
  });
}

std::string now_line(std::uint64_t id) {
  return line(id, "now", [](JsonObject&) {});
}

std::string advance_line(std::uint64_t id, Duration by) {
  return line(id, "advance", [&](JsonObject& o) { o.duration("by_ms", by); });
}

std::string request_line(std::uint64_t id, std::string_view session, Instant now,
                         const Request& request) {
  return line(id, name_of(request), [&](JsonObject& o) {
    o.text("session", session);
    o.instant("now_ms", now);
    write_request(o, request, write_whole_payload);
  });
}

std::string ok_line(std::uint64_t id, const Response& response) {
  std::string text;
  JsonObject object(text);
  object.unsigned_number("id", id);
  write_response(object.member("ok"), response, write_whole_payload);
  object.end();
  return text;
}

std::string ok_line(std::uint64_t id, std::string_view ok) {
  std::string text;
  JsonObject object(text);
  object.unsigned_number("id", id);
  object.member("ok") += ok;
  object.end();
  return text;
}

std::string error_line(std::uint64_t id, const Error& error) {
  std::string text;
  JsonObject object(text);
  object.unsigned_number("id", id);
  write_error(object.member("error"), error);
  object.end();
  return text;
}

// Most drivers write the id first, so that the line need not be read twice.
static std::optional<std::uint64_t> id_in_front(std::string_view line) {
  for (const std::string_view part : {"{", "\"id\"", ":"}) {
    if (!line.starts_with(part)) return std::nullopt;
    line.remove_prefix(part.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
  }
  std::uint64_t id = 0;
  const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), id);
  const std::size_t used = static_cast<std::size_t>(end - line.data());
  if (failed != std::errc{} || used == line.size() || (*end != ',' && *end != ' ' && *end != '}'))
    return std::nullopt;
  return id;
}

Result<std::uint64_t> answered_id(std::string_view line) {
  if (const auto id = id_in_front(line)) return *id;
  try {
    const auto answer = parsed(line);
    Fields fields(answer, "", Reading::tolerantly);
    return fields.unsigned_number("id");
  } catch (const Malformed& malformed) {
    return invalid(malformed.text());
  }
}

nlohmann::json parsed(std::string_view line) {
  if (protocol::nests_too_deep(line))
    throw Malformed{"", fmt::format("nested deeper than {} levels", protocol::deepest_nesting)};
  try {
    return nlohmann::json::parse(line);
  } catch (const nlohmann::json::parse_error& error) {
    throw Malformed{"", fmt::format("not one JSON object in UTF-8 (at byte {})", error.byte)};
  } catch (const nlohmann::json::exception&) {
    throw Malformed{"", "a number in it is too large for any type"};
  }
}

Result<const nlohmann::json*> outcome_of(const nlohmann::json& answer) {
  Fields fields(answer, "", Reading::tolerantly);
  const bool refused = fields.has("error");
  if (refused == fields.has("ok"))
    throw Malformed{"", refused ? "both `ok` and `error`" : "neither `ok` nor `error`"};
  if (refused) return read_error(fields.object("error"));
  const auto& ok = fields.any("ok");
  if (!ok.is_object()) fields.wrong("ok", fmt::format("must be an object, is {}", ok.type_name()));
  return &ok;
}

}  // namespace assay::detail
