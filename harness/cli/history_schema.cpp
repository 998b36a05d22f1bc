#include "harness/cli/history_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/cli/detail/schema_parts.h"
#include "harness/history/detail/lines.h"

namespace assay::cli {

namespace {

using namespace protocol;

Json texts() { return {{"type", "array"}, {"items", {{"type", "string"}}}}; }

Json header() {
  return {{"description", "The first line."},
          {"type", "object"},
          {"required", {"kind"}},
          {"properties",
           {{"kind", {{"const", "history"}}},
            {"schema",
             {{"const", detail::history_schema}, {"description", "The format; absent: this one."}}},
            {"driver", {{"type", "string"}, {"description", "The queue's name, for reports."}}},
            {"profile",
             {{"description", "What the queue claims, or the name of a built-in profile."},
              {"anyOf", Json::array({reference("profile"), {{"type", "string"}}})}}},
            {"plan", {{"type", "string"}, {"description", "What was done, for people."}}},
            {"clients", texts()}}}};
}

Json clock() {
  return {{"description", "The clock moved, for everybody."},
          {"type", "object"},
          {"required", {"kind", "now_ms"}},
          {"properties", {{"kind", {{"const", "clock"}}}, {"now_ms", reference("time_ms")}}}};
}

Json fault() {
  return {{"description", "Something was made to go wrong, was seen to, or was put right again."},
          {"type", "object"},
          {"required", {"kind", "stage", "fault"}},
          {"properties",
           {{"kind", {{"const", "fault"}}},
            {"stage", {{"enum", {"begun", "proven", "ended"}}}},
            {"number",
             {{"type", "integer"},
              {"minimum", 0},
              {"description", "The same in all lines about one fault."}}},
            {"fault", {{"type", "string"}, {"description", "Its name."}}},
            {"effect",
             {{"enum", {"none", "client_died", "client_stalled", "clock_wrong", "store_away"}},
              {"description", "What it does to whom it befalls; absent: none."}}},
            {"client",
             {{"type", {"string", "integer"}},
              {"description", "Whom it befalls; absent: everybody, or the store."}}},
            {"proof", {{"type", "string"}, {"description", "What shows that it took effect."}}},
            {"in_flight",
             {{"type", "array"},
              {"items", {{"type", "integer"}, {"minimum", 0}}},
              {"description", "The operations that were under way."}}}}}};
}

Json engine() {
  Json kinds = Json::array();
  for (const std::string_view name : engine_event_names()) kinds.push_back(name);
  return {
      {"description",
       "What an engine does, as told by its handlers and by whoever starts its workers."},
      {"type", "object"},
      {"required", {"kind", "event", "now_ms"}},
      {"properties",
       {{"kind", {{"const", "engine"}}},
        {"event", {{"enum", std::move(kinds)}}},
        {"now_ms", reference("time_ms")},
        {"worker", {{"type", "string"}, {"description", "Whose."}}},
        {"client",
         {{"type", {"string", "integer"}},
          {"description", "worker_connected: the session that is the worker's."}}},
        {"job_id", {{"type", "string"}}},
        {"run",
         {{"type", "integer"},
          {"description", "Of the job, as its handler is told: 1 is the first."}}},
        {"word", {{"type", "string"}, {"description", "Why, how or what, by the event."}}},
        {"row", {{"type", "string"}, {"description", "The row of the outbox that it is about."}}},
        {"numbers",
         {{"type", "object"},
          {"description", "What it lives by, or how much, by the event."},
          {"additionalProperties", {{"type", "integer"}}}}}}}};
}

Json number_of_operation() {
  return {{"type", "integer"},
          {"minimum", 0},
          {"maximum", std::numeric_limits<std::uint64_t>::max()},
          {"description", "The operation's number: the call's and its return's alone."}};
}

// What a log may leave out although the protocol wants it.
void relax(Json& object) {
  if (!object.contains("required")) return;
  Json kept = Json::array();
  for (const Json& name : object["required"])
    if (name != "payload" && name != "worker" && name != "limit" && name != "reason")
      kept.push_back(name);
  object["required"] = kept;
  if (object["properties"].contains("payload"))
    object["properties"]["payload_digest"] = {
        {"type", "string"},
        {"description", "Instead of `payload`: any text that is the same for equal payloads."}};
}

Json call_of(const Operation& operation) {
  const std::span<const Field> own =
      operation.phase == Phase::operation ? operation.request : std::span<const Field>();
  Json schema = object_of(own);
  Json required = Json::array({"kind", "op", "now_ms", "request"});
  for (const Field& field : own)
    if (field.need == Need::required) required.push_back(field.name);
  schema["description"] = operation.note;
  schema["required"] = required;
  Json& properties = schema["properties"];
  properties["kind"] = {{"const", "call"}};
  properties["op"] = number_of_operation();
  properties["client"] = {{"type", {"string", "integer"}},
                          {"description", "Who calls: its name, or its place in `clients`."}};
  properties["now_ms"] = reference("time_ms");
  properties["request"] = {{"const", operation.name}};
  relax(schema);
  return schema;
}

Json ending(std::string_view outcome, Json required, Json rest) {
  Json schema{
      {"type", "object"}, {"required", std::move(required)}, {"properties", Json::object()}};
  schema["properties"]["kind"] = {{"const", "return"}};
  schema["properties"]["op"] = number_of_operation();
  schema["properties"]["now_ms"] = reference("time_ms");
  schema["properties"]["outcome"] = {{"const", outcome}};
  schema["properties"].update(rest);
  return schema;
}

Json endings() {
  const Json base = Json::array({"kind", "op", "outcome"});
  return {{"description", "How a call ended."},
          {"anyOf", Json::array({ending("ok", base,
                                        {{"ok",
                                          {{"type", "object"},
                                           {"description",
                                            "The answer: REQUEST_ok of the call's request; "
                                            "absent: {}."}}}}),
                                 ending("refused", Json::array({"kind", "op", "outcome", "error"}),
                                        {{"error", reference("error")}}),
                                 ending("unknown", base, {{"error", reference("error")}})})}};
}

// Texts that are not UTF-8 are written as their bytes.
void allow_bytes_for_texts(Json& part) {
  if (part.is_object() && part.contains("type") && part["type"] == "string" &&
      !part.contains("pattern")) {
    part.erase("type");
    part["$ref"] = "#/$defs/text";
  }
  if (part.is_structured())
    for (Json& child : part) allow_bytes_for_texts(child);
}

bool is_logged(const Operation& operation) {
  return operation.phase == Phase::operation || operation.name == "close";
}

}  // namespace

std::string history_schema() {
  Json lines = Json::array({reference("history"), reference("return"), reference("clock"),
                            reference("fault"), reference("engine")});
  Json defs;
  defs["history"] = header();
  for (const Operation& operation : operations()) {
    if (!is_logged(operation)) continue;
    lines.push_back(reference(fmt::format("{}_call", operation.name)));
    defs[fmt::format("{}_call", operation.name)] = call_of(operation);
    Json ok = object_of(operation.ok);
    ok["description"] = fmt::format("The answer to `{}`.", operation.name);
    defs[fmt::format("{}_ok", operation.name)] = ok;
  }
  defs["return"] = endings();
  defs["clock"] = clock();
  defs["fault"] = fault();
  defs["engine"] = engine();
  add_shared_definitions(defs);
  defs.erase("options");
  defs.erase("role");
  for (auto& [name, schema] : defs.items())
    if (name.ends_with("job") || name.starts_with("dead")) relax(schema);
  allow_bytes_for_texts(defs);
  defs["text"] = {{"description", "A text; one that is not UTF-8 as its bytes."},
                  {"anyOf", Json::array({{{"type", "string"}},
                                         {{"type", "object"},
                                          {"required", {"base64"}},
                                          {"properties", {{"base64", reference("bytes")}}}}})}};
  defs["time_ms"] = {{"description", "The caller's clock: Unix milliseconds."},
                     {"type", "integer"},
                     {"minimum", 0},
                     {"maximum", to_ms(end_of_time)}};
  const Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", fmt::format("Assay's histories, format {}: one line", detail::history_schema)},
      {"description", "Printed by `assay print history-schema`; docs/history.md explains it."},
      {"anyOf", lines},
      {"$defs", defs}};
  return schema.dump(2) + "\n";
}

}  // namespace assay::cli
