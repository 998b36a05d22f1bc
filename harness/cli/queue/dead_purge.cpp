#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

class DeadPurging final : public Command {
 public:
  std::string_view name() const override { return "dead purge"; }
  std::string_view summary() const override { return "Take dead jobs out of the dead letters"; }
  std::string_view footer() const override {
    return "They are cancelled: no call of the contract removes a job, so the store keeps what it\n"
           "keeps of cancelled ones. Those with a key are left where they are unless --keyed says\n"
           "otherwise: while one is purged it has its key for an instant, and whoever submits\n"
           "that key just then is told that there is such a job, and has none.\n\n"
           "Examples:\n"
           "  assay queue dead purge --yes\n"
           "  assay queue dead purge --queue mail --yes";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.options("--queue,-q", "NAME", queues_,
                  "Of this queue; as often as needed (default: all that are known)");
    takes.flag("--keyed", keyed_, "Those with a key, too");
    takes.flag("--yes", yes_, "Do it: without this, only says how many there are");
  }

  int run(const Program&) override {
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    if (const Status found = find(*place); !found) return told(found.error());
    if (!yes_) return only_tell();
    std::size_t purged = 0;
    for (const std::string& id : ids_) {
      const Status gone = place->admin().purge(id);
      if (!gone && gone.error().code == ErrorCode::unsupported) return told(gone.error());
      if (!gone)
        status = std::max(status, told(gone.error()));
      else
        ++purged;
    }
    std::cout << fmt::format("{} purged{}\n", text::plural(purged, "dead job"), left())
              << std::flush;
    return status;
  }

 private:
  std::string left() const {
    return left_ > 0
               ? fmt::format("; {} left, since they have a key: --keyed takes them, too", left_)
               : "";
  }

  int only_tell() const {
    std::cout << fmt::format("{} would be purged{}\n", text::plural(ids_.size(), "dead job"),
                             left())
              << std::flush;
    if (ids_.empty()) return 0;
    return wrong_usage("nothing was purged: say --yes if that is meant");
  }

  // Before any goes, so that none is passed over.
  Status find(Place& place) {
    const auto queues = place.queues(queues_);
    if (!queues) return queues.error();
    for (const std::string& queue : *queues) {
      const Status read = place.admin().each_dead(queue, [&](const DeadEntry& entry) {
        if (entry.job.key && !keyed_)
          ++left_;
        else
          ids_.push_back(entry.job_id);
        return true;
      });
      if (!read) return read;
    }
    return Done{};
  }

  PlaceArguments place_;
  std::vector<std::string> ids_, queues_;
  std::size_t left_ = 0;
  bool keyed_ = false, yes_ = false;
};

}  // namespace

std::unique_ptr<Command> dead_purge() { return std::make_unique<DeadPurging>(); }

}  // namespace assay::cli::queue
