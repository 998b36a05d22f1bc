#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "harness/cli/interrupts.h"
#include "harness/cli/queue/all.h"
#include "harness/cli/queue/lengths.h"
#include "harness/cli/queue/place.h"
#include "harness/cli/queue/stress_run.h"
#include "harness/cli/scratch.h"
#include "harness/cli/usage.h"
#include "harness/contract/random.h"
#include "harness/contract/version.h"
#include "reports/terminal.h"

namespace assay::cli::queue {
namespace {

constexpr int exit_left = 2;

class Stressing final : public Command {
 public:
  std::string_view name() const override { return "stress"; }
  std::string_view summary() const override {
    return "Load a driver with many jobs, and judge what happened";
  }
  std::string_view footer() const override {
    return "The jobs and what they do depend on the seed alone; in which order things happen does\n"
           "not. Every call is recorded, and at the end the history is judged by the rules that\n"
           "the driver's profile promises. It uses a namespace of its own, which is gone after "
           "it;\n"
           "without a url a store is made, or a server started, for the run.\n\n"
           "Examples:\n"
           "  assay queue stress --driver memory\n"
           "  assay queue stress --driver postgres --jobs 10000 --workers 4 --concurrency 8\n"
           "  assay queue stress --driver sqlite --seed 7 --flaky 50 --failing 20 --keep\n\n"
           "Exit status: 0 every rule that was triggered holds; 1 at least one FAIL; 2 some jobs "
           "did\n"
           "not end, it was stopped, or something is inconclusive; 3 trouble; 64 wrong usage.";
  }
  void take(Takes& takes) override {
    place_.take(takes);
    takes.option("--seed", "N", seed_, "What everything drawn depends on (default: a fresh one)");
    takes.option("--jobs", "N", jobs_, "So many (default: 1000), and their children");
    takes.option("--workers", "N", workers_, "So many workers (default: 2)");
    takes.option("--concurrency,-c", "N", concurrency_,
                 "So many jobs at once in each (default: 4)");
    takes.option("--flaky", "PERCENT", flaky_, "Jobs that fail every other time (default: 10)");
    takes.option("--failing", "PERCENT", failing_, "Jobs that always fail (default: 2)");
    takes.option("--children", "PERCENT", children_, "Jobs that make others (default: 10)");
    takes.option("--delayed", "PERCENT", delayed_, "Jobs that may not run at once (default: 10)");
    takes.option("--work", "TIME", work_, "How long a job takes on the average (default: 5ms)");
    takes.option("--lease", "TIME", lease_, "Of the workers (default: 5s)");
    takes.option("--kill", "N", kills_,
                 "So often a worker is gone from one moment on, with jobs that it holds: nothing "
                 "that it does reaches the store any more, and another one comes (default: 0)");
    takes.option("--out", "FILE", out_, "Where the history goes, and stays");
    takes.flag("--keep", keep_, "The history stays, also where it holds");
    takes.flag("--quiet", quiet_, "The verdict alone");
    takes.flag("--json", json_, "The judge's report as JSON");
  }

  int run(const Program& program) override {
    if (place_.name_space)
      return wrong_usage("stress makes a namespace of its own: leave --namespace out");
    if (Status read = read_options(); !read) return wrong_usage(read.error().message);
    const auto place = named(place_);
    if (!place) return wrong_usage(place.error().message);
    const Profile& profile = place->profile;
    if (profile.clock != ClockKnob::caller && !profile.in_real_time())
      return wrong_usage(fmt::format(
          "{} lives by a clock of its own that is moved by a harness (it claims virtual_time): "
          "stress needs one that runs",
          place->driver.name));
    if (!profile.has("schedule_at_enqueue")) {
      if (delayed_ && options_.delayed > 0)
        return wrong_usage(fmt::format(
            "--delayed: under the profile {} no job can be enqueued for later", profile.name));
      options_.delayed = 0;
    }
    block_interrupts();
    auto scratch = Scratch::make();
    if (!scratch) return trouble(scratch.error().message);
    std::stop_source stop;
    Result<RunStore> store = Error{};
    {
      const Interrupts interrupts([&] { stop.request_stop(); }, [&] { (*scratch)->remove(); });
      store = store_for(place->driver.info, wanted_by(place->driver), (*scratch)->path(),
                        stop.get_token());
    }
    if (!store) return trouble(store.error().message);
    const Interrupts interrupts([&] { stop.request_stop(); },
                                [&] {
                                  store->end();
                                  (*scratch)->remove();
                                });
    const int status = run(program, *place, *store, (*scratch)->path(), stop.get_token());
    store->end();
    return status;
  }

 private:
  Status read_number(const std::optional<std::string>& text, const char* option, Range range,
                     auto& to) {
    if (!text) return Done{};
    const auto number = number_from(*text, option, range);
    if (!number) return number.error();
    to = static_cast<std::remove_reference_t<decltype(to)>>(*number);
    return Done{};
  }

  Status read_options() {
    options_.seed = fresh_seed() % 1'000'000'000;  // short enough to be typed
    for (const Status& read :
         {read_number(seed_, "--seed", {}, options_.seed),
          read_number(jobs_, "--jobs", {1, 10'000'000}, options_.jobs),
          read_number(workers_, "--workers", {1, 64}, options_.workers),
          read_number(concurrency_, "--concurrency", {1, 256}, options_.concurrency),
          read_number(flaky_, "--flaky", {0, 100}, options_.flaky),
          read_number(failing_, "--failing", {0, 100}, options_.failing),
          read_number(children_, "--children", {0, 100}, options_.children),
          read_number(delayed_, "--delayed", {0, 100}, options_.delayed),
          read_number(kills_, "--kill", {0, 1'000}, options_.kills)})
      if (!read) return read;
    if (options_.flaky + options_.failing + options_.children > 100)
      return invalid("--flaky, --failing and --children are more than a hundred together");
    const auto work = length_from(work_, "--work");
    if (!work) return work.error();
    const auto lease = length_from(lease_, "--lease");
    if (!lease) return lease.error();
    options_.work = work->value_or(options_.work);
    options_.lease = lease->value_or(options_.lease);
    if (options_.lease < Duration{3}) return invalid("--lease is too short: 3ms is the least");
    return Done{};
  }

  std::string history_path(const Clock& clock) const {
    if (out_) return *out_;
    const auto seconds = static_cast<std::time_t>(to_ms(clock.now()) / 1000);
    return fmt::format("runs/{:%Y%m%d-%H%M%S}-stress-{}.jsonl", fmt::gmtime(seconds),
                       options_.seed);
  }

  // That its time cannot be moved is no alteration worth a word.
  static std::string title_of(Profile profile) {
    Profile movable = profile;
    movable.capabilities.insert("virtual_time");
    return title(is_built_in(movable) ? movable : profile);
  }

  void tell_head(const NamedPlace& place, const RunStore& store) const {
    if (quiet_ || json_) return;
    std::cout << fmt::format("assay {} queue stress {}\n", version(), place.driver.name)
              << fmt::format("  seed     {}\n", options_.seed)
              << fmt::format("  profile  {}, in real time\n", title_of(place.profile));
    if (!store.described.empty()) std::cout << fmt::format("  store    {}\n", store.described);
    std::cout
        << fmt::format(
               "  load     {} jobs by {} workers of {}; flaky {} %, failing {} %, children {} "
               "%, delayed {} %\n",
               options_.jobs, options_.workers, options_.concurrency, options_.flaky,
               options_.failing, options_.children, options_.delayed)
        << std::flush;
  }

  int run(const Program& program, const NamedPlace& place, const RunStore& store,
          const std::string& scratch, const std::stop_token& stop) {
    const auto runtime = real_runtime();
    tell_head(place, store);
    auto made = place.driver.info.make(
        {place.profile, runtime->clock(), options_.seed, store.url, scratch});
    if (!made) return trouble(made.error().message);
    RecordedDriver driver(**made, {place.driver.name, fmt::format("stress/{}", options_.seed)});
    if (Status ready = driver.setup({fmt::format("stress_{}", ::getpid())}); !ready)
      return trouble(ready.error().message);
    const std::string path = history_path(runtime->clock());
    auto file = StressHistory::make(path, driver.history());
    if (!file) return trouble(file.error().message);
    StressEnd end = run_stress(*runtime, driver, options_, **file, quiet_ || json_, stop);
    Status& ran = end.ran;
    const std::size_t left = end.not_ended;
    if (const Status gone = driver.teardown(); !gone && ran) ran = gone;
    if (!(*file)->is_whole()) return trouble(path + " could not be written to its end");
    if (!ran) {
      const int in_trouble = trouble(ran.error().message);
      const int status = judged(program, path, left);
      return status == exit_failed ? status : in_trouble;  // a conviction comes first
    }
    const int status = judged(program, path, left);
    return stop.stop_requested() && status == 0 ? exit_left : status;
  }

  int judged(const Program& program, const std::string& path, std::size_t left) const {
    JudgeArguments arguments;
    arguments.file = path;
    arguments.quiet = quiet_;
    arguments.json = json_;
    int status = judge_command(arguments);
    std::ostream& out = json_ ? std::cerr : std::cout;
    if (left > 0) out << fmt::format("{} jobs have not ended\n", left);
    if (left > 0 && status == 0) status = exit_left;
    if (status == 0 && !keep_ && !out_) {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
      out << std::flush;
      return status;
    }
    out << fmt::format("history  {}\nagain    {} judge {}\n", path, program.name,
                       shell_quoted(path))
        << std::flush;
    return status;
  }

  PlaceArguments place_;
  StressOptions options_;
  std::optional<std::string> seed_, jobs_, workers_, concurrency_, flaky_, failing_, children_,
      delayed_, work_, lease_, kills_, out_;
  bool keep_ = false, quiet_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> stress() { return std::make_unique<Stressing>(); }

}  // namespace assay::cli::queue
