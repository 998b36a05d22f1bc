#include "harness/cli/queue/flow_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/contract/detail/json_reader.h"

namespace assay::cli::queue {

using assay::detail::Fields;
using assay::detail::Malformed;

namespace {

constexpr int deepest = 64;  // far beyond what is accepted; a reader must not run out of stack

engine::Step step_from(Fields& fields) {
  engine::Step step;
  step.type = fields.text("type");
  step.payload = fields.text_or("payload", "");
  step.queue = fields.maybe_text("queue");
  step.delay = fields.maybe_duration("delay_ms");
  step.limit = fields.maybe_number("limit");
  step.timeout = fields.maybe_duration("timeout_ms");
  step.priority = fields.maybe_number("priority");
  fields.finish();
  return step;
}

engine::Flow part_from(Fields fields, const std::string& path, int depth);

std::vector<engine::Flow> parts_from(Fields& fields, std::string_view name, const std::string& path,
                                     int depth) {
  std::vector<engine::Flow> parts;
  for (const auto& element : fields.array(name)) {
    const std::string here = fmt::format("{}.{}[{}]", path, name, parts.size());
    parts.push_back(part_from({element, here}, here, depth + 1));
  }
  return parts;
}

engine::Flow part_from(Fields fields, const std::string& path, int depth) {
  if (depth > deepest) throw Malformed{path, "is too deep"};
  engine::Flow flow;
  if (fields.has("chain")) {
    flow = engine::chain(parts_from(fields, "chain", path, depth));
  } else if (fields.has("group")) {
    flow = engine::group(parts_from(fields, "group", path, depth));
  } else if (fields.has("chord")) {
    Fields last = fields.object("then");
    flow = engine::chord(parts_from(fields, "chord", path, depth), step_from(last));
  } else if (fields.has("type")) {
    return engine::step(step_from(fields));
  } else {
    throw Malformed{path, "is neither a step (`type`) nor a chain, a group or a chord"};
  }
  fields.finish();
  return flow;
}

engine::FlowSubmission submission_from(const nlohmann::json& object) {
  Fields fields(object, "");
  engine::FlowSubmission submission;
  submission.id = fields.maybe_text("id");
  const std::string policy = fields.text_or("on_failure", "fail_fast");
  if (policy != "fail_fast" && policy != "go_on")
    fields.wrong("on_failure", "must be fail_fast or go_on");
  if (policy == "go_on") submission.on_failure = engine::OnFailure::go_on;
  submission.flow = part_from(fields.object("flow"), "flow", 0);
  fields.finish();
  return submission;
}

}  // namespace

Result<engine::FlowSubmission> flow_from(std::string_view text) {
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (object.is_discarded()) return invalid("is not valid JSON");
  if (!object.is_object()) return invalid("is not a JSON object");
  try {
    return submission_from(object);
  } catch (const Malformed& malformed) {
    return invalid(malformed.text());
  }
}

}  // namespace assay::cli::queue
