#include "harness/cli/protocol_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/cli/detail/schema_parts.h"
#include "harness/remote/schema.h"

namespace assay::cli {

namespace {

using namespace protocol;

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
  add_shared_definitions(defs);
  const Json schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", fmt::format("Assay's driver protocol, version {}: one line", version)},
      {"description", "Printed by `assay print protocol-schema`; docs/protocol.md explains it."},
      {"anyOf", Json::array({reference("request"), reference("answer")})},
      {"$defs", defs}};
  return schema.dump(2) + "\n";
}

}  // namespace assay::cli
