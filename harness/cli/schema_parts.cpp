#include "harness/cli/detail/schema_parts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/contract/profile_json.h"

namespace assay::cli {

using namespace protocol;

Json reference(std::string_view name) { return {{"$ref", fmt::format("#/$defs/{}", name)}}; }

static Json type_of(const Field& field) {
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

static Json schema_of(const Field& field) {
  Json schema = field.need == Need::required
                    ? type_of(field)
                    : Json{{"anyOf", Json::array({type_of(field), {{"type", "null"}}})}};
  schema["description"] = field.meaning;
  return schema;
}

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

static Json names_of(const Names& names) {
  Json list = Json::array();
  for (const Name& name : names.values)
    list.push_back({{"const", name.name}, {"description", name.meaning}});
  return {{"oneOf", list}};
}

static Json number(std::int64_t least, std::string_view meaning) {
  return {{"type", {"integer", "null"}},
          {"minimum", least},
          {"maximum", largest_profile_number},
          {"description", meaning}};
}

static Json knob_schema(const Knob& knob) {
  Json values = Json::array();
  for (const KnobValue& value : knob.values)
    values.push_back({{"const", value.name}, {"description", value.promise}});
  values.push_back({{"type", "null"}, {"description", "The base's."}});
  return {{"description", knob.question}, {"oneOf", values}};
}

static Json profile_schema() {
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

static void add_plain_types(Json& defs) {
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

void add_shared_definitions(Json& defs) {
  for (const Object& object : objects()) {
    Json schema = object_of(object.fields);
    schema["description"] = object.meaning;
    defs[std::string(object.name)] = schema;
  }
  for (const Names& names : name_lists()) defs[std::string(names.name)] = names_of(names);
  defs["profile"] = profile_schema();
  add_plain_types(defs);
}

}  // namespace assay::cli
