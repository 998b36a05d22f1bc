#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "engine/driver_wakeups.h"
#include "engine/scheduler.h"
#include "engine/worker.h"
#include "harness/cli/interrupts.h"
#include "harness/cli/queue/all.h"
#include "harness/cli/queue/handlers.h"
#include "harness/cli/queue/lengths.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/work_lines.h"
#include "harness/cli/usage.h"
#include "harness/contract/random.h"
#include "reports/text.h"

namespace assay::cli::queue {
namespace {

constexpr int exit_left = 2;

// Of what a scheduler tells, the jobs that it makes.
class Windows final : public engine::Observer {
 public:
  explicit Windows(WorkLines& lines) : lines_(lines) {}
  void see(const engine::Event& event) override {
    if (std::holds_alternative<engine::WindowFired>(event.what)) lines_.see(event);
  }

 private:
  WorkLines& lines_;
};

std::string host_name() {
  char name[256] = "here";
  ::gethostname(name, sizeof name - 1);
  return fmt::format("{}-{}", name, ::getpid());
}

class Working final : public Command {
 public:
  std::string_view name() const override { return "work"; }
  std::string_view summary() const override { return "Work jobs off until it is stopped"; }
  std::string_view footer() const override {
    return "Handlers: `echo` prints the payload, `sleep` waits for as many milliseconds as it "
           "says,\n"
           "`fail` fails with it (`fail:for-good`: for good), `flaky:N` fails N times of a "
           "hundred.\n"
           "exec:'COMMAND' starts a program with the payload on its stdin, and JOB_ID, JOB_TYPE,\n"
           "JOB_QUEUE and JOB_RUN in its environment: status 0 is success, 65 a failure for good,\n"
           "all else a failure. COMMAND is no shell's: for pipes, write sh -c '...'. A job of a\n"
           "type that has no handler is dead at once.\n\n"
           "Ctrl-C or SIGTERM: nothing more is claimed, jobs may end within --grace, then they "
           "are\n"
           "interrupted and put back. A second one interrupts at once; a third ends the program:\n"
           "then jobs come back when their lease is over.\n\n"
           "Examples:\n"
           "  assay queue work\n"
           "  assay queue work --queues mail,default --concurrency 8 --handler "
           "mail=exec:'sendmail -t'\n"
           "  assay queue work --drain --json > log.jsonl";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.options("--queues,--queue,-q", "NAME,NAME", queues_, "From these (default: default)");
    takes.options("--handler", "TYPE=HANDLER", handlers_,
                  "Who works jobs of a type off; as often as needed. echo, sleep, fail and flaky "
                  "are there by these names");
    takes.option("--concurrency,-c", "N", concurrency_, "So many jobs at once (default: 1)");
    takes.option("--lease", "TIME", lease_,
                 "How long a job is ours without a sign of life (default: the profile's)");
    takes.option("--timeout", "TIME", timeout_, "How long a job may run that brings no time-out");
    takes.option("--grace", "TIME", grace_,
                 "How long jobs may take to end at a stop (default: 30s)");
    takes.option("--name", "TEXT", name_, "What the worker is called (default: HOST-PID)");
    takes.flag("--drain", drain_, "End when the queues are empty, scheduled jobs and retries too");
    takes.flag("--quiet", quiet_, "Print nothing but trouble");
    takes.flag("--json", json_, "Print events as JSON, one a line");
  }

  int run(const Program&) override {
    if (quiet_ && json_) return wrong_usage("--quiet and --json contradict each other");
    if (Status read = read_options(); !read) return wrong_usage(read.error().message);
    block_interrupts();
    int status = 0;
    const auto place = Place::open(place_, status);
    if (!place) return status;
    return work(*place);
  }

 private:
  Status read_options() {
    for (const std::string& text : queues_)
      for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        if (to == from) return invalid("--queues has a queue without a name");
        options_.queues.push_back(text.substr(from, to - from));
        from = to + 1;
      }
    if (options_.queues.empty()) options_.queues = {"default"};
    const auto concurrency = number_from(concurrency_.value_or("1"), "--concurrency", {1, 10'000});
    if (!concurrency) return concurrency.error();
    options_.concurrency = static_cast<int>(*concurrency);
    const auto lease = length_from(lease_, "--lease");
    if (!lease) return lease.error();
    options_.lease = *lease;
    const auto grace = length_from(grace_, "--grace");
    if (!grace) return grace.error();
    if (*grace) options_.grace = **grace;
    const auto timeout = length_from(timeout_, "--timeout");
    if (!timeout) return timeout.error();
    wanted_.timeout = *timeout;
    wanted_.registered = handlers_;
    wanted_.seed = fresh_seed();
    options_.seed = wanted_.seed;
    options_.name = name_.value_or(host_name());
    const auto handlers = handlers_for(wanted_);  // that they can be had is known before any store
    return handlers ? Status(Done{}) : Status(handlers.error());
  }

  int work(Place& place) {
    Teller teller;
    WorkLines lines(teller, quiet_  ? WorkLines::Style::none
                            : json_ ? WorkLines::Style::json
                                    : WorkLines::Style::text);
    wanted_.said = [&](const Job& job, const std::string& output) { lines.said(job, output); };
    options_.handlers = std::move(handlers_for(wanted_)).value();
    options_.observer = &lines;
    for (const std::string& queue : options_.queues)
      if (Status known = place.admin().remember(queue); !known) return told(known.error());
    // Without them the worker polls.
    auto wakeups =
        engine::DriverWakeUps::make(place.driver(), options_.queues, place.runtime().clock());
    if (wakeups) options_.wakeups = wakeups->get();
    auto worker = engine::Worker::make(place.runtime(), place.driver(), options_);
    if (!worker) return told(worker.error());
    // Any number of workers keep the schedules; none does where the driver keeps no records.
    Windows windows(lines);
    auto scheduler = engine::Scheduler::make(
        place.runtime(), place.driver(),
        {.name = options_.name, .seed = options_.seed, .observer = &windows});
    if (scheduler)
      if (Status started = (*scheduler)->start(); !started) return told(started.error());
    const int status = work(place, **worker);
    if (status != exit_left) return status;
    // Handlers that did not return still use what would go now.
    teller.flush();
    ::_exit(status);
  }

  int work(Place& place, engine::Worker& worker) {
    std::stop_source stop;
    const Interrupts interrupts([&] { stop.request_stop(); }, [&] { worker.hurry(); }, [] {});
    if (Status started = worker.start(); !started) return told(started.error());
    const Status waited = wait(place, stop.get_token());
    const engine::Ending ending = worker.shutdown();
    tell(worker.tallies());
    if (!ending.did_not_return.empty()) return exit_left;
    return waited ? 0 : told(waited.error());
  }

  // Until it is stopped or, where that is asked for, there is nothing left to do.
  Status wait(Place& place, const std::stop_token& stop) {
    Clock& clock = place.runtime().clock();
    constexpr Duration between{200};
    while (!stop.stop_requested()) {
      clock.sleep_until(clock.now() + (drain_ ? between : Duration(std::chrono::hours(1))), stop);
      if (!drain_ || stop.stop_requested()) continue;
      bool is_busy = false;
      for (const std::string& queue : options_.queues) {
        const auto busy = place.admin().is_busy(queue);
        // A store that is away comes back, as far as the worker is concerned.
        if (!busy && busy.error().code != ErrorCode::unavailable) return busy.error();
        is_busy = is_busy || !busy || *busy;
      }
      if (!is_busy) break;
    }
    return Done{};
  }

  void tell(const engine::Tallies& tallies) const {
    if (quiet_ || json_) return;
    std::cerr << fmt::format(
        "{}: {} succeeded, {} failed{}\n",
        text::plural(static_cast<std::uint64_t>(tallies.began), "run"), tallies.succeeded,
        tallies.failed,
        tallies.left_to_lapse > 0 ? fmt::format(", {} left to lapse", tallies.left_to_lapse) : "");
  }

  PlaceArguments place_;
  std::vector<std::string> queues_, handlers_;
  std::optional<std::string> concurrency_, lease_, timeout_, grace_, name_;
  bool drain_ = false, quiet_ = false, json_ = false;
  engine::WorkerOptions options_;
  HandlersWanted wanted_;
};

}  // namespace

std::unique_ptr<Command> work() { return std::make_unique<Working>(); }

}  // namespace assay::cli::queue
