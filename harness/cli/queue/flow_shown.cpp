#include "harness/cli/queue/flow_shown.h"

#include <fmt/format.h>

#include "harness/cli/queue/shown.h"
#include "harness/contract/detail/json_writer.h"
#include "reports/text.h"

namespace assay::cli::queue {

using assay::detail::JsonObject;
using engine::FlowKind;
using engine::FlowNode;
using engine::MemberCounts;
using engine::MemberState;

namespace {

// "3 of 5 succeeded, 1 dead".
std::string counted(const MemberCounts& counts) {
  std::string text = fmt::format("{} of {} succeeded", text::grouped(counts.succeeded),
                                 text::grouped(counts.all()));
  const auto add = [&](std::int64_t count, std::string_view state) {
    if (count > 0) text += fmt::format(", {} {}", text::grouped(count), state);
  };
  add(counts.enqueued, "enqueued");
  add(counts.dead, "dead");
  add(counts.cancelled, "cancelled");
  add(counts.skipped, "skipped");
  return text;
}

std::string state_of(const FlowNode& step) {
  std::string text(name_of(step.state));
  if (step.state == MemberState::enqueued && step.job_state) text = name_of(*step.job_state);
  if (step.result_bytes) text += fmt::format(", result of {} bytes", *step.result_bytes);
  if (!step.error.empty()) text += ": " + brief(step.error, 80);
  return text;
}

std::string line_of(const FlowNode& node) {
  if (node.kind != FlowKind::step)
    return fmt::format("{} {}: {}", name_of(node.kind), node.path, counted(node.counts));
  return fmt::format("{} {}: {}{}", brief(node.type, 40), node.path,
                     node.is_finalizer ? "finalizer, " : "", state_of(node));
}

std::string left_out(std::size_t count, std::string_view where) {
  return fmt::format("({} {})", text::plural(count, "part"), where);
}

void draw(std::string& out, const FlowNode& node, const std::string& indent) {
  const std::size_t after = node.parts_after > 0 ? 1 : 0;
  std::size_t left = node.parts.size() + after;
  const auto branch = [&](std::size_t remaining) { return remaining == 1 ? "└─ " : "├─ "; };
  if (node.parts_before > 0)
    out += indent + "├─ " + left_out(node.parts_before, "before these") + "\n";
  for (const FlowNode& part : node.parts) {
    out += indent + branch(left) + line_of(part) + "\n";
    draw(out, part, indent + (left == 1 ? "   " : "│  "));
    --left;
  }
  if (after) out += indent + "└─ " + left_out(node.parts_after, "more: --of, --first") + "\n";
}

void write(JsonObject& object, const MemberCounts& counts) {
  object.number("waiting", counts.waiting);
  object.number("enqueued", counts.enqueued);
  object.number("succeeded", counts.succeeded);
  object.number("dead", counts.dead);
  object.number("cancelled", counts.cancelled);
  object.number("skipped", counts.skipped);
}

void write_node(std::string& out, const FlowNode& node) {
  JsonObject object(out);
  object.text("kind", name_of(node.kind));
  object.text("path", node.path);
  if (node.kind == FlowKind::step) {
    object.text("type", node.type);
    if (node.is_finalizer) object.flag("finalizer", true);
    object.text("job_id", node.job_id);
    object.text("state", name_of(node.state));
    if (node.job_state) object.text("job_state", name_of(*node.job_state));
    object.number("result_bytes", node.result_bytes);
    if (!node.error.empty()) object.text("error", node.error);
  } else {
    JsonObject counts(object.member("counts"));
    write(counts, node.counts);
    counts.end();
    object.number("parts_before", static_cast<std::int64_t>(node.parts_before));
    object.number("parts_after", static_cast<std::int64_t>(node.parts_after));
    assay::detail::append_array(object.member("parts"), node.parts, write_node);
  }
  object.end();
}

}  // namespace

std::string flow_tree(const engine::FlowView& flow, Instant now) {
  std::string out = fmt::format("{}: {}, {}, submitted {}\n", flow.id, name_of(flow.state),
                                name_of(flow.on_failure), when_text(flow.submitted_at, now));
  if (!flow.stopped_by.empty()) out += fmt::format("stopped by {}\n", flow.stopped_by);
  out += line_of(flow.root) + "\n";
  draw(out, flow.root, "");
  return out;
}

std::string flow_json(const engine::FlowView& flow) {
  std::string out;
  JsonObject object(out);
  object.text("id", flow.id);
  object.text("state", name_of(flow.state));
  object.text("on_failure", name_of(flow.on_failure));
  object.instant("submitted_at_ms", flow.submitted_at);
  if (!flow.stopped_by.empty()) object.text("stopped_by", flow.stopped_by);
  write_node(object.member("root"), flow.root);
  object.end();
  return out;
}

std::string summary_json(const engine::FlowSummary& flow) {
  std::string out;
  JsonObject object(out);
  object.text("id", flow.id);
  object.text("on_failure", name_of(flow.on_failure));
  object.number("steps", flow.steps);
  object.flag("whole", flow.is_whole);
  object.flag("open", flow.is_open);
  object.instant("submitted_at_ms", flow.submitted_at);
  object.end();
  return out;
}

}  // namespace assay::cli::queue
