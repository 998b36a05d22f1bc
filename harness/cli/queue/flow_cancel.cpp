#include <fmt/format.h>

#include <iostream>

#include "engine/flows.h"
#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

class FlowCancelling final : public Command {
 public:
  std::string_view name() const override { return "flow cancel"; }
  std::string_view summary() const override { return "Cancel a flow that has not ended"; }
  std::string_view footer() const override {
    return "Nothing more of it is enqueued, members that wait are cancelled, those that run may "
           "end.\n\nExamples:\n  assay queue flow cancel picture-7";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.word("ID", id_, "The flow");
  }

  int run(const Program&) override {
    if (!id_) return wrong_usage("flow cancel needs a flow: `assay queue flow cancel ID`");
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    auto flows = engine::Flows::make(place->runtime(), place->driver(), {.name = "flow cancel"});
    if (!flows) return told(flows.error());
    const auto done = (*flows)->cancel(*id_);
    if (!done) return told(done.error());
    std::cout << fmt::format(
                     "{}: {} cancelled, {} left to end{}\n", text::printable(*id_),
                     text::plural(static_cast<std::uint64_t>(done->cancelled), "job"),
                     done->running,
                     done->left > 0
                         ? fmt::format(", {} will run: this profile has no cancel", done->left)
                         : "")
              << std::flush;
    return 0;
  }

 private:
  PlaceArguments place_;
  std::optional<std::string> id_;
};

}  // namespace

std::unique_ptr<Command> flow_cancel() { return std::make_unique<FlowCancelling>(); }

}  // namespace assay::cli::queue
