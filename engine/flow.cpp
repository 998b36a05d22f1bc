#include "engine/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/detail/flow_names.h"

namespace assay::engine {

std::string_view name_of(FlowKind kind) {
  static constexpr std::array<std::string_view, 4> names{"step", "chain", "group", "chord"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(OnFailure policy) {
  return policy == OnFailure::fail_fast ? "fail_fast" : "go_on";
}

Flow step(std::string type, std::string payload) {
  return step(Step{.type = std::move(type), .payload = std::move(payload)});
}
Flow step(Step step) { return {FlowKind::step, std::move(step), {}}; }
Flow chain(std::vector<Flow> parts) { return {FlowKind::chain, {}, std::move(parts)}; }
Flow group(std::vector<Flow> parts) { return {FlowKind::group, {}, std::move(parts)}; }
Flow chord(std::vector<Flow> members, Step finalizer) {
  return {FlowKind::chord, std::move(finalizer), std::move(members)};
}

namespace {

class Examination {
 public:
  Examination(const FlowBounds& bounds, const Profile& profile)
      : bounds_(bounds), profile_(profile) {}

  std::optional<Error> object(const Flow& flow, const std::string& where, std::size_t depth) {
    if (depth > bounds_.depth)
      return invalid(fmt::format("the flow is nested deeper than {}", bounds_.depth));
    const bool has_parts = flow.kind != FlowKind::step;
    if (!has_parts && !flow.parts.empty())
      return invalid(fmt::format("the step at {} has parts", where));
    if (has_parts && flow.parts.empty())
      return invalid(fmt::format("the {} at {} is empty", name_of(flow.kind), where));
    if (flow.kind == FlowKind::chain || flow.kind == FlowKind::group) {
      if (flow.step != Step{})
        return invalid(fmt::format("the {} at {} has a step", name_of(flow.kind), where));
    } else if (auto objection = object(flow.step, where)) {
      return objection;
    }
    for (std::size_t i = 0; i < flow.parts.size(); ++i)
      if (auto objection = object(flow.parts[i], detail::path_of_part(where, flow, i), depth + 1))
        return objection;
    return std::nullopt;
  }

 private:
  std::optional<Error> object(const Step& step, const std::string& where) {
    if (++steps_ > bounds_.steps)
      return invalid(fmt::format("the flow has more than {} steps", bounds_.steps));
    const auto says = [&](const std::string& what) {
      return invalid(fmt::format("the step at {}: {}", where, what));
    };
    if (step.type == detail::steward_type) return says("its type belongs to the engine");
    if (step.delay && !profile_.has("schedule_at_enqueue"))
      return says("it has a delay, and nothing can be scheduled here");
    Submission as_job{.type = step.type, .payload = step.payload, .queue = step.queue};
    as_job.delay = step.delay;
    as_job.limit = step.limit;
    as_job.timeout = step.timeout;
    Bounds bounds;
    bounds.payload_bytes = bounds_.payload_bytes;
    if (auto objection = objection_to(as_job, bounds, Instant{})) return says(objection->message);
    return std::nullopt;
  }

  const FlowBounds& bounds_;
  const Profile& profile_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<Error> objection_to(const std::string& flow_id, const Flow& flow,
                                  const FlowBounds& bounds, const Profile& profile) {
  if (flow_id.empty()) return invalid("the flow's id is empty");
  if (flow_id.size() > bounds.id_bytes)
    return invalid(
        fmt::format("the flow's id has {} bytes, {} are allowed", flow_id.size(), bounds.id_bytes));
  const bool is_plain = std::ranges::all_of(flow_id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
  if (!is_plain)
    return invalid("the flow's id has other characters than letters, digits, '.', '_' and '-'");
  return Examination(bounds, profile).object(flow, detail::root_path, 1);
}

}  // namespace assay::engine
