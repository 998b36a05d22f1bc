#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/flow_shown.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"

namespace assay::cli::queue {
namespace {

class FlowShowing final : public Command {
 public:
  std::string_view name() const override { return "flow show"; }
  std::string_view summary() const override { return "Show a flow: the tree of its members"; }
  std::string_view footer() const override {
    return "Each member is named by its path. Of a part with many parts the first ones are shown;\n"
           "--of PATH --first N shows others. --result PATH writes the bytes that a member "
           "left.\n\n"
           "Examples:\n"
           "  assay queue flow show picture-7\n"
           "  assay queue flow show picture-7 --of r.b --first 1000 --limit 50\n"
           "  assay queue flow show picture-7 --result r.c000000 > result";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.word("ID", id_, "The flow");
    takes.option("--of", "PATH", of_, "The part that --first is of");
    takes.option("--first", "N", first_, "Begin with this one of its parts (default: 0)");
    takes.option("--limit", "N", limit_, "So many parts of each (default: 20)");
    takes.option("--result", "PATH", result_, "Write what this member left, and nothing else");
    takes.flag("--json", json_, "As JSON");
  }

  int run(const Program&) override {
    if (!id_) return wrong_usage("flow show needs a flow: `assay queue flow show ID`");
    const auto first = number_from(first_.value_or("0"), "--first", {0, 10'000'000});
    if (!first) return wrong_usage(first.error().message);
    const auto limit = number_from(limit_.value_or("20"), "--limit", {1, 1'000'000});
    if (!limit) return wrong_usage(limit.error().message);
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    auto flows = engine::Flows::make(place->runtime(), place->driver(), {.name = "flow show"});
    if (!flows) return told(flows.error());
    if (result_) return write_result(**flows);
    const auto shown =
        (*flows)->show(*id_, {.first = *first, .at_most = *limit, .of = of_.value_or("")});
    if (!shown) return told(shown.error());
    std::cout << (json_ ? flow_json(*shown) + "\n" : flow_tree(*shown, place->now())) << std::flush;
    return 0;
  }

 private:
  int write_result(engine::Flows& flows) {
    const auto bytes = flows.result(*id_, *result_);
    if (!bytes) return told(bytes.error());
    if (!*bytes) return told(Error{ErrorCode::not_found, "that member left nothing"});
    std::cout << **bytes << std::flush;
    return 0;
  }

  PlaceArguments place_;
  std::optional<std::string> id_, of_, first_, limit_, result_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> flow_show() { return std::make_unique<FlowShowing>(); }

}  // namespace assay::cli::queue
