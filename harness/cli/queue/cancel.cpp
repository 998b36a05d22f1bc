#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

class Cancelling final : public Command {
 public:
  std::string_view name() const override { return "cancel"; }
  std::string_view summary() const override { return "Cancel jobs that have not ended"; }
  std::string_view footer() const override {
    return "A job that runs is cancelled, too: its worker is told with its next heartbeat.\n\n"
           "Examples:\n  assay queue cancel 6f0c1e...";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.words("ID", ids_, "The jobs");
  }

  int run(const Program&) override {
    if (ids_.empty()) return wrong_usage("cancel needs a job: `assay queue cancel ID`");
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    for (const std::string& id : ids_) {
      const auto cancelled = place->session().cancel(place->now(), {id});
      if (!cancelled)
        status = std::max(status, told(cancelled.error()));
      else
        std::cout << fmt::format("{} {}\n", text::printable(id), name_of(cancelled->state))
                  << std::flush;
    }
    return status;
  }

 private:
  PlaceArguments place_;
  std::vector<std::string> ids_;
};

}  // namespace

std::unique_ptr<Command> cancel() { return std::make_unique<Cancelling>(); }

}  // namespace assay::cli::queue
