#include "harness/cli/protocol_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/contract/profile_json.h"
#include "harness/remote/schema.h"

namespace assay::cli {

using Json = nlohmann::ordered_json;

namespace {

using namespace protocol;

Json reference(std::string_view name) { return {{"$ref", fmt::format("#/$defs/{}", name)}}; }

Json type_of(const Field& field) {
  switch (field.type) {
    case Type::text:
      return {{"type", "string"}};
    case Type::number:
      return reference("whole_number");
    case Type::seed:
      return {{"type", "integer"},
              {"minimum", 0},
              {"maximum", std::numeric_limits<std::uint64_t>::max()}};
    case Type::flag:
      return {{"type", "boolean"}};
    case Type::bytes:
      return reference("bytes");
    case Type::instant:
      return reference("instant_ms");
    case Type::duration:
      return reference("duration_ms");
    case Type::name:
    case Type::object:
      return reference(field.of);
    case Type::objects:
      return {{"type", "array"}, {"items", reference(field.of)}};
    case Type::texts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case Type::anything:
      return {{"type", "object"}};
    case Type::profile:
      return reference("profile");
  }
  return {};
}

Json schema_of(const Field& field) {
  Json schema = field.need == Need::required
                    ? type_of(field)
                    : Json{{"anyOf", Json::array({type_of(field), {{"type", "null"}}})}};
  schema["description"] = field.meaning;
  return schema;
}

// Fields that are not named may be there, too: everybody ignores what they do not know.
Json object_of(std::span<const Field> fields) {
  Json schema{{"type", "object"}};
  Json required = Json::array();
  for (const Field& field : fields) {
    if (field.need == Need::required) required.push_back(field.name);
    schema["properties"][std::string(field.name)] = schema_of(field);
  }
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Json names_of(const Names& names) {
  Json list = Json::array();
  for (const Name& name : names.values)
    list.push_back({{"const", name.name}, {"description", name.meaning}});
  return {{"oneOf", list}};
}

Json request_of(const Operation& operation) {
  std::vector<Field> fields;
  if (operation.phase == Phase::operation)
    fields.assign(session_fields().begin(), session_fields().end());
  fields.insert(fields.end(), operation.request.begin(), operation.request.end());
  Json schema = object_of(fields);
  schema["description"] = operation.note;
  Json required = Json::array({"id", "op"});
  for (const Field& field : fields)
    if (field.need == Need::required) required.push_back(field.name);
  schema["required"] = required;
  schema["properties"]["id"] = reference("whole_number");
  schema["properties"]["op"] = {{"const", operation.name}};
  if (schema["properties"].contains("namespace"))
    schema["properties"]["namespace"]["pattern"] =
        fmt::format("^[a-z0-9_]{{1,{}}}$", longest_namespace);
  if (operation.name == "hello") schema["properties"]["protocol"]["const"] = version;
  return schema;
}

// Null is the same as absent in the envelope, too.
Json success(Json ok) {
  return {
      {"type", "object"},
      {"required", {"id", "ok"}},
      {"properties",
       {{"id", reference("whole_number")}, {"ok", std::move(ok)}, {"error", {{"type", "null"}}}}}};
}

Json refusal() {
  return {{"type", "object"},
          {"required", {"id", "error"}},
          {"properties",
           {{"id", reference("whole_number")},
            {"error", reference("error")},
            {"ok", {{"type", "null"}}}}}};
}

Json answer_of(const Operation& operation) {
  Json ok = object_of(operation.ok);
  if (operation.name == "hello") ok["properties"]["protocol"]["const"] = version;
  return {{"description", fmt::format("The answer to `{}`.", operation.name)},
          {"anyOf", Json::array({success(std::move(ok)), reference("refusal")})}};
}

Json number(std::int64_t least, std::string_view meaning) {
  return {{"type", {"integer", "null"}},
          {"minimum", least},
          {"maximum", largest_profile_number},
          {"description", meaning}};
}

Json knob_schema(const Knob& knob) {
  Json values = Json::array();
  for (const KnobValue& value : knob.values)
    values.push_back({{"const", value.name}, {"description", value.promise}});
  values.push_back({{"type", "null"}, {"description", "The base's."}});
  return {{"description", knob.question}, {"oneOf", values}};
}

Json profile_schema() {
  Json properties;
  Json bases = Json::array();
  for (const std::string_view name : profile_names()) bases.push_back(name);
  bases.push_back(nullptr);
  properties["base"] = {{"enum", bases},
                        {"description", "Where what is left out comes from; absent: reference."}};
  for (const Knob& knob : knobs()) properties[std::string(knob.name)] = knob_schema(knob);
  for (const ProfileNumber& each : profile_numbers())
    properties[std::string(each.field)] = number(each.least, each.meaning);
  properties["done_retention_ms"] = number(0, "How long a done job is kept; null: not said.");
  Json names = Json::array();
  for (const Capability& capability : capabilities())
    names.push_back({{"const", capability.name}, {"description", capability.meaning}});
  properties["capabilities"] = {
      {"type", {"array", "null"}},
      {"items", {{"oneOf", names}}},
      {"description", "Replaces the base's. What is not in it is not tested."}};
  return {{"description", "What a driver claims, and is judged by."},
          {"type", "object"},
          {"properties", properties}};
}

void add_plain_types(Json& defs) {
  defs["whole_number"] = {{"type", "integer"},
                          {"minimum", std::numeric_limits<std::int64_t>::min()},
                          {"maximum", std::numeric_limits<std::int64_t>::max()}};
  defs["instant_ms"] = {{"description", "Unix milliseconds."}, {"$ref", "#/$defs/whole_number"}};
  defs["duration_ms"] = {{"description", "Milliseconds."}, {"$ref", "#/$defs/whole_number"}};
  defs["bytes"] = {{"description", "Base64 with padding."},
                   {"type", "string"},
                   {"contentEncoding", "base64"},
                   {"pattern", "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"}};
}

}  // namespace

std::string protocol_schema() {
  Json requests = Json::array();
  Json answers = Json::array();
  Json defs;
  for (const Operation& operation : operations()) {
    requests.push_back(reference(fmt::format("{}_request", operation.name)));
    answers.push_back(reference(fmt::format("{}_answer", operation.name)));
  }
  defs["request"] = {{"description", "Any request: what Assay sends."}, {"anyOf", requests}};
  defs["answer"] = {{"description", "Any answer; OP_answer is the answer to a certain operation."},
                    {"anyOf", answers}};
  for (const Operation& operation : operations()) {
    defs[fmt::format("{}_request", operation.name)] = request_of(operation);
    defs[fmt::format("{}_answer", operation.name)] = answer_of(operation);
  }
  defs["refusal"] = refusal();
  for (const Object& object : objects()) {
    Json schema = object_of(object.fields);
    schema["description"] = object.meaning;
    defs[std::string(object.name)] = schema;
  }
  for (const Names& names : name_lists()) defs[std::string(names.name)] = names_of(names);
  defs["profile"] = profile_schema();
  add_plain_types(defs);
  const Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", fmt::format("Assay's driver protocol, version {}: one line", version)},
      {"description", "Printed by `assay print protocol-schema`; docs/protocol.md explains it."},
      {"anyOf", Json::array({reference("request"), reference("answer")})},
      {"$defs", defs}};
  return schema.dump(2) + "\n";
}

}  // namespace assay::cli
