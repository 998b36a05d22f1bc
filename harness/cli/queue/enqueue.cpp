#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "engine/client.h"
#include "harness/cli/queue/all.h"
#include "harness/cli/queue/input.h"
#include "harness/cli/queue/lengths.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/shown.h"
#include "harness/cli/usage.h"
#include "harness/contract/detail/json_writer.h"
#include "harness/contract/random.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

class Enqueuing final : public Command {
 public:
  std::string_view name() const override { return "enqueue"; }
  std::string_view summary() const override { return "Hand a job in; prints its id"; }
  std::string_view footer() const override {
    return "The payload is any bytes: an argument, a file, or stdin where stdin is no terminal "
           "and\n"
           "neither is given. --limit counts in the profile's unit; the profile's default where "
           "it\n"
           "is absent.\n\n"
           "Examples:\n"
           "  assay queue enqueue echo hello\n"
           "  date | assay queue enqueue echo --delay 10s --key hourly\n"
           "  assay queue enqueue sleep 1500 --count 20 --queue slow\n"
           "  assay queue enqueue echo --at 2026-12-24T18:00:00Z 'good evening'";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.word("TYPE", type_, "What kind of job it is: who works it off is registered for it");
    takes.word("PAYLOAD", payload_, "What its handler gets (default: stdin, or nothing)");
    takes.option("--payload-file", "FILE", file_, "The payload is in this file");
    takes.option("--queue,-q", "NAME", queue_, "Into this queue (default: default)");
    takes.option("--delay", "TIME", delay_, "Not before so much time has passed: 10s, 5m, 1h");
    takes.option("--at", "TIME", at_, "Not before: 2026-12-24T18:00:00Z");
    takes.option("--key", "TEXT", key_, "There is at most one such job at a time");
    takes.option("--limit", "N", limit_, "How often it may be tried");
    takes.option("--timeout", "TIME", timeout_, "How long one run may take");
    takes.option("--priority", "N", priority_, "Where the profile has an order: more is sooner");
    takes.option("--id", "TEXT", id_, "Its id (default: drawn)");
    takes.option("--count", "N", count_, "So many of them (default: 1)");
    takes.flag("--json", json_, "As JSON, one object a line");
  }

  int run(const Program&) override {
    auto submission = this->submission();
    if (!submission) return wrong_usage(submission.error().message);
    const auto count = number_from(count_.value_or("1"), "--count", {1, 1'000'000});
    if (!count) return wrong_usage(count.error().message);
    if (*count > 1 && (id_ || key_))
      return wrong_usage("--count makes several jobs, which cannot share an --id or a --key");
    const RealClock clock;
    if (auto objection = engine::objection_to(*submission, {}, clock.now()))
      return wrong_usage(objection->message);
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    return hand_in(*place, *submission, *count);
  }

 private:
  int hand_in(Place& place, const engine::Submission& submission, std::uint64_t count) {
    auto client = engine::Client::make(place.runtime(), place.driver(),
                                       {.name = "enqueue", .seed = fresh_seed()});
    if (!client) return told(client.error());
    if (Status known = place.admin().remember(*submission.queue); !known)
      return told(known.error());
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto made = (*client)->submit(submission);
      if (!made) {
        if (i > 0) std::cout << std::flush;
        const int status = told(made.error());
        if (i > 0) trouble(fmt::format("{} of {} jobs were made", i, count));
        return status;
      }
      tell(*made);
    }
    std::cout << std::flush;
    return 0;
  }

  void tell(const Enqueued& made) {
    if (!json_) {
      std::cout << text::printable(made.id) << (made.existed ? " (was there already)" : "") << "\n";
      return;
    }
    std::string line;
    assay::detail::JsonObject object(line);
    object.text("id", made.id);
    object.flag("existed", made.existed);
    object.end();
    std::cout << line << "\n";
  }

  Result<engine::Submission> submission() {
    engine::Submission made;
    if (!type_) return invalid("enqueue needs a type: `assay queue enqueue echo hello`");
    made.type = *type_;
    auto payload = this->payload();
    if (!payload) return payload.error();
    made.payload = std::move(*payload);
    made.queue = queue_.value_or("default");
    made.key = key_;
    made.id = id_;
    const auto delay = length_from(delay_, "--delay");
    if (!delay) return delay.error();
    made.delay = *delay;
    const auto timeout = length_from(timeout_, "--timeout");
    if (!timeout) return timeout.error();
    made.timeout = *timeout;
    if (at_) {
      const auto at = instant_from(*at_);
      if (!at) return invalid("--at: " + at.error().message);
      made.run_at = *at;
    }
    if (limit_) {
      const auto limit = number_from(*limit_, "--limit", {1, 10'000});
      if (!limit) return limit.error();
      made.limit = static_cast<std::int64_t>(*limit);
    }
    if (priority_) {
      const bool is_negative = priority_->starts_with("-");
      const auto size =
          number_from(priority_->substr(is_negative ? 1 : 0), "--priority", {0, 1'000'000});
      if (!size) return size.error();
      made.priority = static_cast<std::int64_t>(*size) * (is_negative ? -1 : 1);
    }
    return made;
  }

  Result<std::string> payload() {
    if (payload_ && file_) return invalid("the payload is given twice: as a word and as a file");
    if (payload_) return *payload_;
    if (!file_ && isatty(STDIN_FILENO)) return std::string();
    return read_input(file_.value_or("-"), engine::Bounds{}.payload_bytes);
  }

  PlaceArguments place_;
  std::optional<std::string> type_, payload_, file_, queue_, delay_, at_, key_, limit_, timeout_,
      priority_, id_, count_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> enqueue() { return std::make_unique<Enqueuing>(); }

}  // namespace assay::cli::queue
