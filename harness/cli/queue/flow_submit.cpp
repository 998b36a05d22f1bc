#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <set>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/flow_file.h"
#include "harness/cli/queue/input.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"
#include "harness/contract/random.h"

namespace assay::cli::queue {
namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20U;

void each_queue(const engine::Flow& flow, const std::function<void(const std::string&)>& see) {
  if ((flow.kind == engine::FlowKind::step || flow.kind == engine::FlowKind::chord) &&
      flow.step.queue)
    see(*flow.step.queue);
  for (const engine::Flow& part : flow.parts) each_queue(part, see);
}

class FlowSubmitting final : public Command {
 public:
  std::string_view name() const override { return "flow submit"; }
  std::string_view summary() const override { return "Hand a flow in; prints its id"; }
  std::string_view footer() const override {
    return "A flow is JSON: {\"flow\": PART}, and maybe \"id\" and \"on_failure\": \"fail_fast\" "
           "(the\n"
           "default) or \"go_on\". A PART is a step, {\"type\": \"resize\", \"payload\": \"l\"}, "
           "or\n"
           "{\"chain\": [PART...]}, {\"group\": [PART...]}, {\"chord\": [PART...], \"then\": "
           "STEP}.\n"
           "Steps may have queue, delay_ms, limit, timeout_ms and priority. The same id once more "
           "is\n"
           "the same flow.\n\n"
           "Examples:\n"
           "  assay queue flow submit picture.json\n"
           "  echo '{\"flow\": {\"chain\": [{\"type\": \"echo\", \"payload\": \"one\"}, "
           "{\"type\": \"echo\"}]}}' |\n"
           "    assay queue flow submit -";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.word("FILE", file_, "The flow; `-` is stdin");
    takes.option("--queue,-q", "NAME", queue_, "Of steps that name none (default: default)");
  }

  int run(const Program&) override {
    if (!file_) return wrong_usage("flow submit needs a file: `assay queue flow submit FILE`");
    const auto text = read_input(*file_, most_bytes);
    if (!text) return wrong_usage(text.error().message);
    auto submission = flow_from(*text);
    if (!submission)
      return wrong_usage(fmt::format("`{}`: {}", *file_, submission.error().message));
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    auto flows = engine::Flows::make(
        place->runtime(), place->driver(),
        {.name = "flow submit", .queue = queue_.value_or("default"), .seed = fresh_seed()});
    if (!flows) return told(flows.error());
    if (auto objection = engine::objection_to(submission->id.value_or("drawn"), submission->flow,
                                              {}, place->driver().profile()))
      return wrong_usage(fmt::format("`{}`: {}", *file_, objection->message));
    std::set<std::string> queues{queue_.value_or("default")};
    each_queue(submission->flow, [&](const std::string& queue) { queues.insert(queue); });
    for (const std::string& queue : queues)
      if (Status known = place->admin().remember(queue); !known) return told(known.error());
    const auto made = (*flows)->submit(*submission);
    if (!made) return told(made.error());
    std::cout << made->id << (made->existed ? " (was there already)" : "") << "\n" << std::flush;
    return 0;
  }

 private:
  PlaceArguments place_;
  std::optional<std::string> file_, queue_;
};

}  // namespace

std::unique_ptr<Command> flow_submit() { return std::make_unique<FlowSubmitting>(); }

}  // namespace assay::cli::queue
