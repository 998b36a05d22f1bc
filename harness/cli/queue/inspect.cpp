#include <fmt/format.h>

#include <iostream>

#include "harness/cli/queue/all.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/shown.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

class Inspecting final : public Command {
 public:
  std::string_view name() const override { return "inspect"; }
  std::string_view summary() const override { return "Show all that is known of a job"; }
  std::string_view footer() const override {
    return "A store keeps the number of failures and the last error of a job, not each of them.\n\n"
           "Examples:\n"
           "  assay queue inspect 6f0c1e...\n"
           "  assay queue inspect 6f0c1e... --json | jq -r .last_error\n"
           "  assay queue inspect 6f0c1e... --payload > payload.bin";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.word("ID", id_, "The job");
    takes.flag("--payload", payload_, "Its payload alone, as it is");
    takes.flag("--json", json_, "As JSON");
  }

  int run(const Program&) override {
    if (!id_ || id_->empty()) return wrong_usage("inspect needs a job: `assay queue inspect ID`");
    if (payload_ && json_) return wrong_usage("--payload and --json contradict each other");
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    const auto view = place->session().get(place->now(), {*id_});
    if (!view) return told(view.error());
    if (payload_)
      std::cout << view->job.payload;
    else
      std::cout << (json_ ? view_json(*view) + "\n" : text_of(*view, *place));
    std::cout << std::flush;
    return 0;
  }

 private:
  static std::string text_of(const JobView& view, Place& place) {
    const Job& job = view.job;
    const Instant now = place.now();
    const Profile& profile = place.driver().profile();
    std::string out;
    const auto line = [&](const char* what, const std::string& value) {
      out += fmt::format("{:<10}{}\n", what, value);
    };
    line("id", text::printable(job.id));
    line("queue", text::printable(job.queue));
    line("type", text::printable(job.type));
    line("state", std::string(name_of(job.state)));
    if (job.created_at) line("created", when_text(*job.created_at, now));
    if (job.run_at) line("run at", when_text(*job.run_at, now));
    line("failures",
         fmt::format("{} of {} {}{}", job.attempts, runs_allowed(profile, job.max_attempts), "runs",
                     job.max_attempts ? "" : " (the default)"));
    if (job.timeout) line("timeout", text::duration_text(to_ms(*job.timeout) / 1000.0));
    if (job.key) line("key", text::printable(*job.key));
    if (job.priority != 0) line("priority", std::to_string(job.priority));
    if (view.lease) {
      line("held by", text::printable(view.lease->worker.value_or("nobody says who")));
      line("lease", "until " + when_text(view.lease->expires_at, now));
    }
    if (job.last_error) line("error", text::printable(*job.last_error));
    if (view.dead) {
      line("dead", when_text(view.dead->at, now));
      line("reason", text::printable(view.dead->reason));
      if (view.dead->error && view.dead->error != job.last_error)
        line("error", text::printable(*view.dead->error));
    }
    line("payload",
         fmt::format("{}: {}", text::plural(job.payload.size(), "byte"), brief(job.payload, 200)));
    return out;
  }

  PlaceArguments place_;
  std::optional<std::string> id_;
  bool payload_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> inspect() { return std::make_unique<Inspecting>(); }

}  // namespace assay::cli::queue
