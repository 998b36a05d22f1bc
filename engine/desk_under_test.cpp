// The desk of the engine under test: flows as plans write them, told in the engine's words.
#include "engine/flows.h"
#include "engine/under_test.h"

namespace assay::engine {
namespace {

// Of each step: under some profiles a job without a limit is not tried again.
constexpr std::int64_t limit = 4;

Step job_of(const std::string& flow, const FlowPart& part) {
  return {.type = "act", .payload = payload_of({flow, part.name}, part.script), .limit = limit};
}

Flow flow_of(const std::string& id, const FlowPart& part) {
  if (part.kind == FlowPart::Kind::step) return step(job_of(id, part));
  std::vector<Flow> parts;
  for (const FlowPart& inner : part.parts) parts.push_back(flow_of(id, inner));
  if (part.kind == FlowPart::Kind::chain) return chain(std::move(parts));
  if (part.kind == FlowPart::Kind::group) return group(std::move(parts));
  return chord(std::move(parts), job_of(id, part));
}

// Both have the same form: a chord's finalizer is the last of its parts.
void take_members(const FlowPart& part, const FlowNode& node, FlowSeen& seen) {
  if (part.kind == FlowPart::Kind::step)
    return static_cast<void>(seen.members.emplace_back(part.name, name_of(node.state)));
  for (std::size_t i = 0; i < part.parts.size() && i < node.parts.size(); ++i)
    take_members(part.parts[i], node.parts[i], seen);
  if (part.kind == FlowPart::Kind::chord && !node.parts.empty())
    seen.members.emplace_back(part.name, name_of(node.parts.back().state));
}

class DeskUnderTest final : public EngineDesk {
 public:
  DeskUnderTest(Runtime& runtime, Driver& driver, const std::string& name, std::uint64_t seed,
                Alterations alterations)
      : alterations_(std::move(alterations)),
        driver_(driver, alterations_.driver),
        clock_(runtime.clock()),
        name_(name) {
    FlowsOptions options;
    options.name = name;
    options.queue = "q";
    options.seed = seed;
    flows_ = Flows::make(runtime, driver_, std::move(options));
  }

  Status made() const { return flows_.ok() ? Status(Done{}) : Status(flows_.error()); }

  Result<bool> submit(const FlowText& flow) override {
    FlowSubmission submission{flow_of(flow.id, flow.root)};
    if (alterations_.flow) submission.flow = alterations_.flow(std::move(submission.flow));
    submission.on_failure = flow.goes_on ? OnFailure::go_on : OnFailure::fail_fast;
    submission.id = flow.id;
    const auto handed_in = (*flows_)->submit(submission);
    if (!handed_in.ok()) return handed_in.error();
    return handed_in->existed;
  }

  Status sweep() override {
    const auto swept = (*flows_)->sweep();
    return swept.ok() ? Status(Done{}) : Status(swept.error());
  }

  Result<FlowSeen> show(const FlowText& flow) override {
    const auto view = (*flows_)->show(flow.id, {.at_most = 1'000, .looks_up_jobs = false});
    if (!view.ok()) return view.error();
    FlowSeen seen{std::string(name_of(view->state)), {}};
    take_members(flow.root, view->root, seen);
    return seen;
  }

  Result<std::vector<OutputSeen>> outputs(const JobId& job) override {
    auto session = driver_.open({name_ + "/outputs", Role::admin});
    if (!session.ok()) return session.error();
    const auto found = outputs_of(**session, clock_, job);
    static_cast<void>((*session)->close());
    if (!found.ok()) return found.error();
    std::vector<OutputSeen> seen;
    for (const Output& output : found->outputs)
      seen.push_back({output.name, output.value, output.version});
    return seen;
  }

 private:
  const Alterations alterations_;
  InterceptedDriver driver_;
  Clock& clock_;
  const std::string name_;
  Result<std::unique_ptr<Flows>> flows_ = Error{};
};

}  // namespace

Result<std::unique_ptr<EngineDesk>> make_desk(Runtime& runtime, Driver& driver,
                                              const std::string& name, std::uint64_t seed,
                                              Alterations alterations) {
  auto desk = std::make_unique<DeskUnderTest>(runtime, driver, name, seed, std::move(alterations));
  if (const Status made = desk->made(); !made.ok()) return made.error();
  return std::unique_ptr<EngineDesk>(std::move(desk));
}

}  // namespace assay::engine
