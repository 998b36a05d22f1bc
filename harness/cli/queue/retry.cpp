#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

class Retrying final : public Command {
 public:
  std::string_view name() const override { return "retry"; }
  std::string_view summary() const override {
    return "Give dead jobs one more run; what they counted stays";
  }
  std::string_view footer() const override {
    return "A job whose runs are used up ends again with its next failure: `dead requeue` gives "
           "it\n"
           "all of them anew.\n\n"
           "Examples:\n  assay queue retry 6f0c1e...";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.words("ID", ids_, "The jobs");
  }

  int run(const Program&) override {
    if (ids_.empty()) return wrong_usage("retry needs a job: `assay queue retry ID`");
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    for (const std::string& id : ids_) {
      const auto again = place->session().requeue(place->now(), {id, std::nullopt, false});
      if (!again)
        status = std::max(status, told(again.error()));
      else
        std::cout << text::printable(again->job_id) << "\n" << std::flush;
    }
    return status;
  }

 private:
  PlaceArguments place_;
  std::vector<std::string> ids_;
};

}  // namespace

std::unique_ptr<Command> retry() { return std::make_unique<Retrying>(); }

}  // namespace assay::cli::queue
