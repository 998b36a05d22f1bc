#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"

namespace assay::cli::queue {
namespace {

class Resetting final : public Command {
 public:
  std::string_view name() const override { return "reset"; }
  std::string_view summary() const override {
    return "Make the namespace anew: all of its jobs are gone";
  }
  std::string_view footer() const override {
    return "For a namespace of an older version, and for drivers behind the protocol that make "
           "none\n"
           "by themselves.\n\n"
           "Examples:\n  assay queue reset --namespace trial --yes";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.flag("--yes", yes_, "Do it: needed");
  }

  int run(const Program&) override {
    if (!yes_)
      return wrong_usage(
          fmt::format("reset removes every job of the namespace {}: say --yes if that is meant",
                      place_.name_space.value_or("default")));
    int status = 0;
    const auto place = Place::open(place_, status, Create::anew);
    if (!place) return status;
    std::cout << fmt::format("the namespace {} is empty\n", place->name_space()) << std::flush;
    return 0;
  }

 private:
  PlaceArguments place_;
  bool yes_ = false;
};

}  // namespace

std::unique_ptr<Command> reset() { return std::make_unique<Resetting>(); }

}  // namespace assay::cli::queue
