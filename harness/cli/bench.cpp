#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>

#include "drivers/all.h"
#include "drivers/ceilings.h"
#include "harness/bench/throughput.h"
#include "harness/cli/bench_table.h"
#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/interrupts.h"
#include "harness/cli/scratch.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/contract/random.h"

namespace assay::cli {

namespace {
struct Wanted {
  std::vector<DriverInfo> drivers;
  std::vector<int> clients, batches;
  std::vector<std::int64_t> backlogs;
  int seconds = 1;
  std::optional<std::string> backend;
  bool relaxed = false;
};

// One line that is written over, for people who wait.
class Progress {
 public:
  void tell(const std::string& text) {
    if (live_) std::cerr << "\r\033[K" << text << std::flush;
  }
  ~Progress() { tell(""); }

 private:
  const bool live_ = isatty(STDERR_FILENO) == 1;
};
}  // namespace

static Result<std::vector<std::int64_t>> numbers_from(const std::string& text,
                                                      std::string_view what, Range range) {
  std::vector<std::int64_t> numbers;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const auto number = number_from(text.substr(from, to - from), what, range);
    if (!number) return number.error();
    numbers.push_back(static_cast<std::int64_t>(*number));
    from = to + 1;
  }
  return numbers;
}

static Result<Wanted> wanted_from(const BenchArguments& arguments) {
  Wanted wanted;
  if (arguments.what != "drivers")
    return invalid(arguments.what.empty()
                       ? "bench needs to know what: `assay bench drivers`"
                       : fmt::format("bench knows `drivers`, not `{}`", arguments.what));
  for (const std::string& name : arguments.drivers) {
    Result<DriverInfo> driver = driver_named(name);
    if (!driver) return driver.error();
    wanted.drivers.push_back(std::move(*driver));
  }
  if (wanted.drivers.empty()) wanted.drivers.assign(all_drivers().begin(), all_drivers().end());
  const auto clients = numbers_from(arguments.clients, "--clients", {1, 256});
  if (!clients) return clients.error();
  wanted.clients.assign(clients->begin(), clients->end());
  const auto batches = numbers_from(arguments.batches, "--batches", {1, 1000});
  if (!batches) return batches.error();
  wanted.batches.assign(batches->begin(), batches->end());
  if (arguments.backlogs != "none") {
    const auto backlogs = numbers_from(arguments.backlogs, "--backlogs", {1000, 10'000'000});
    if (!backlogs) return backlogs.error();
    wanted.backlogs = *backlogs;
    std::ranges::sort(wanted.backlogs);
  }
  const auto seconds = number_from(arguments.seconds, "--seconds", {1, 600});
  if (!seconds) return seconds.error();
  wanted.seconds = static_cast<int>(*seconds);
  wanted.backend = arguments.backend;
  wanted.relaxed = arguments.relaxed;
  if (wanted.backend && !backend_kind_from(*wanted.backend))
    return invalid(
        fmt::format("--backend takes native, docker or auto, not `{}`", *wanted.backend));
  return wanted;
}

using Drive = std::function<Result<double>(const Load&)>;

// Turns of a second, the driver and its store one after the other, so that both meet the same
// machine: a disk may be ten times slower than it was some seconds ago.
static Result<Figure> measure_in_turns(const Load& load, const Drive& driver,
                                       const Drive& ceiling) {
  Figure figure;
  const Load turn{load.clients, load.batch, 1, load.payload_bytes};
  for (int i = 0; i < load.seconds; ++i) {
    const auto rate = driver(turn);
    if (!rate) return rate.error();
    figure.rate += *rate / load.seconds;
    if (!ceiling) continue;
    const auto most = ceiling(turn);
    if (!most) return most.error();
    figure.ceiling = figure.ceiling.value_or(0) + *most / load.seconds;
  }
  return figure;
}

static Status measure_rows(Driver& driver, Ceiling* ceiling, const Wanted& wanted,
                           BenchTable& table, Progress& progress) {
  for (const int clients : wanted.clients)
    for (const int batch : wanted.batches) {
      progress.tell(fmt::format("{}: {} clients, {} jobs a call", table.driver, clients, batch));
      BenchRow row{{clients, batch, wanted.seconds}, {}, {}};
      const auto bench = Throughput::make(driver, clients);
      if (!bench) return bench.error();
      Drive most_enqueued, most_settled;
      if (ceiling) {
        most_enqueued = [&](const Load& load) { return ceiling->enqueue(load); };
        most_settled = [&](const Load& load) { return ceiling->settle(load); };
      }
      const auto enqueue = measure_in_turns(
          row.load, [&](const Load& load) { return (*bench)->enqueue(load); }, most_enqueued);
      if (!enqueue) return enqueue.error();
      const auto settle = measure_in_turns(
          row.load, [&](const Load& load) { return (*bench)->settle(load); }, most_settled);
      if (!settle) return settle.error();
      row.enqueue = *enqueue;
      row.settle = *settle;
      table.rows.push_back(row);
    }
  return Done{};
}

static Status measure_costs(Driver& driver, const Wanted& wanted, BenchTable& table,
                            Progress& progress) {
  if (wanted.backlogs.empty()) return Done{};
  const auto bench = Throughput::make(driver, 1);
  if (!bench) return bench.error();
  const auto measure = [&](std::string with) -> Status {
    const auto cost = (*bench)->claim_cost_us();
    if (!cost) return cost.error();
    table.costs.push_back({std::move(with), *cost});
    return Done{};
  };
  std::int64_t there = 0;
  for (const std::int64_t backlog : wanted.backlogs) {
    progress.tell(fmt::format("{}: a backlog of {}", table.driver, backlog));
    if (const Status filled = (*bench)->fill(backlog - there); !filled) return filled.error();
    if (const Status measured = measure(grouped(static_cast<double>(backlog)) + " ready");
        !measured)
      return measured;
    there = backlog - Throughput::claims_of_a_cost;
  }
  const std::int64_t left = 1000;
  progress.tell(fmt::format("{}: {} done", table.driver, there - left));
  if (const Status finished = (*bench)->finish(there - left); !finished) return finished.error();
  return measure(fmt::format("1,000 ready, {} done", grouped(static_cast<double>(there - left))));
}

static Result<BenchTable> measure(const DriverInfo& info, const Wanted& wanted, Scratch& scratch,
                                  const RunStore& store, Progress& progress) {
  RealClock clock;
  DriverOptions options{.profile = *built_in_profile(info.default_profile),
                        .clock = clock,
                        .seed = fresh_seed(),
                        .url = store.url,
                        .scratch = scratch.path()};
  auto driver = info.make(options);
  if (!driver) return driver.error();
  BenchTable table{.driver = info.name,
                   .store = store.described,
                   .ceiling = {},
                   .relaxed = wanted.relaxed && store.backend};
  std::unique_ptr<Ceiling> ceiling;
  if (const MakeCeiling make = ceiling_of(info.name)) {
    auto made = make(*store.url);
    if (made) ceiling = std::move(*made);
    table.ceiling = made ? ceiling->method() : "none: " + made.error().message;
  }
  if (const Status measured = measure_rows(**driver, ceiling.get(), wanted, table, progress);
      !measured)
    return measured.error();
  ceiling.reset();
  if (const Status measured = measure_costs(**driver, wanted, table, progress); !measured)
    return measured.error();
  return table;
}

static std::vector<std::pair<std::string, std::string>> relaxed_settings(
    const std::string& backend) {
  if (backend == "postgres") return {{"synchronous_commit", "off"}};
  return {{"appendonly", "no"}};
}

static Result<BenchTable> start_and_measure(const DriverInfo& info, const Wanted& wanted,
                                            Scratch& scratch, Progress& progress) {
  StoreWanted store_wanted{.url = std::nullopt, .backend = wanted.backend};
  if (info.backend.empty()) store_wanted.backend.reset();
  if (wanted.relaxed && !info.backend.empty())
    store_wanted.settings = relaxed_settings(info.backend);
  Result<RunStore> store = store_for(info, store_wanted, scratch.path());
  if (!store) return store.error();
  const Interrupts interrupts({}, [&] {
    store->end();
    scratch.remove();
  });
  Result<BenchTable> table = measure(info, wanted, scratch, *store, progress);
  store->end();
  return table;
}

int bench_command(const BenchArguments& arguments) {
  const Result<Wanted> wanted = wanted_from(arguments);
  if (!wanted) return wrong_usage(wanted.error().message);
  block_interrupts();
  // In memory a sync costs nothing, and the figures of durable stores would mean nothing.
  ::setenv("TMPDIR", "/var/tmp", 0);
  Result<std::unique_ptr<Scratch>> scratch = Scratch::make();
  if (!scratch) return trouble(scratch.error().message);
  std::vector<BenchTable> tables;
  int status = 0;
  for (const DriverInfo& info : wanted->drivers) {
    Progress progress;
    Result<BenchTable> table = start_and_measure(info, *wanted, **scratch, progress);
    progress.tell("");
    if (!table) {
      status = trouble(fmt::format("{}: {}", info.name, table.error().message));
      continue;
    }
    if (!arguments.json) std::cout << shown(*table) << std::flush;
    tables.push_back(std::move(*table));
  }
  if (arguments.json) std::cout << bench_json(tables) << std::flush;
  return status;
}

}  // namespace assay::cli
