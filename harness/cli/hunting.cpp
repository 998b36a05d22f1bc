#include "harness/cli/hunting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "harness/cli/interrupts.h"
#include "harness/cli/scratch.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/contract/random.h"
#include "harness/contract/version.h"
#include "reports/picture.h"
#include "reports/text.h"

namespace assay::cli {

Status read_numbers(const std::optional<std::string>& seed, const std::optional<std::string>& time,
                    const char* name_of_time, HuntOptions& options) {
  // Twelve digits are enough to differ and short enough to type.
  options.seed = fresh_seed() % 1'000'000'000'000;
  if (seed) {
    const Result<std::uint64_t> number = number_from(*seed, "--seed", {});
    if (!number) return number.error();
    options.seed = *number;
  }
  if (!time) return Done{};
  const Result<double> seconds = seconds_from(*time);
  if (!seconds) return invalid(fmt::format("{}: {}", name_of_time, seconds.error().message));
  options.seconds = *seconds;
  return Done{};
}

int on_stage(const NamedDriver& driver, HuntOptions& options, const HuntOnStage& hunt) {
  // Before the first thread. Where it cannot be done there is no disk.
  if (options.wants_disk) static_cast<void>(Disk::keep_mounts_apart());
  block_interrupts();
  Result<std::unique_ptr<Scratch>> scratch = Scratch::make();
  if (!scratch) return trouble(scratch.error().message);
  std::stop_source stop;
  RunStore store;
  {
    const Interrupts interrupts([&] { stop.request_stop(); }, [&] { (*scratch)->remove(); });
    StoreWanted wanted = wanted_by(driver);
    wanted.disk = options.wants_disk;
    auto found = store_for(driver.info, wanted, (*scratch)->path(), stop.get_token());
    if (!found) return trouble(found.error().message);
    store = std::move(*found);
  }
  const Interrupts interrupts([&] { stop.request_stop(); },
                              [&] {
                                store.end();
                                (*scratch)->remove();
                              });
  options.driver_url = store.url;
  options.server = store.backend.get();
  options.disk = store.disk.get();
  options.why_no_disk = store.why_no_disk;
  options.scratch = (*scratch)->path();
  return hunt(store.described, stop.get_token());
}

void tell_head(const char* command, const HuntOptions& options, const std::string& plan,
               const std::string& backend) {
  std::cout << fmt::format("assay {} {} {}\n  profile  {}\n", version(), command,
                           text::printable(options.driver), options.profile.name);
  if (!plan.empty()) std::cout << fmt::format("  plan     {}\n", text::printable(plan));
  std::cout << fmt::format("  seed     {}\n", options.seed);
  if (!backend.empty()) std::cout << fmt::format("  backend  {}\n", text::printable(backend));
  std::cout << std::flush;
}

void tell_rule(const HuntedRule& rule, const std::string& how) {
  const Rule* known = find_rule(rule.report.id);
  std::cout << fmt::format("\nFAIL {}: {}\n", rule.report.id, known ? known->promise : "");
  std::cout << text::wrapped(text::printable(fmt::format("{}; {}", how, rule.report.reason)), 100,
                             2, 2);
  std::cout << text::wrapped(text::printable(rule.report.story), 100, 2, 3);
  if (rule.report.history)
    std::cout << "\n" << picture_text(lanes_of(*rule.report.history, rule.report.witness), 100);
  if (rule.report.plan && rule.report.plan->schedule)
    std::cout << fmt::format("\n  schedule {}\n", text_of(rule.report.plan->schedule->choices));
  std::cout << fmt::format("  replay   {}\n", rule.report.tier);
}

void tell_replays(const HuntReport& report, const Program& program, const DriverArguments& how) {
  for (const HuntedRule& rule : report.rules)
    std::cout << fmt::format("{} replay {}{}\n", program.name, rule.report.token,
                             replay_options(how));
}

std::string rules_json(const HuntReport& report) {
  auto rules = nlohmann::ordered_json::array();
  for (const HuntedRule& rule : report.rules)
    rules.push_back({{"id", rule.report.id},
                     {"first", rule.first},
                     {"violations", rule.violations},
                     {"reason", rule.report.reason},
                     {"story", rule.report.story},
                     {"tier", rule.report.tier},
                     {"token", rule.report.token}});
  return rules.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

LiveLine::LiveLine() {
  const char* ci = std::getenv("CI");
  is_on_ = isatty(STDERR_FILENO) && !(ci && *ci);
}

bool LiveLine::is_due(double seconds) {
  if (!is_on_ || (last_ >= 0 && seconds - last_ < 0.2)) return false;
  last_ = seconds;
  return true;
}

void LiveLine::draw(const std::string& line) {
  if (is_on_) std::cerr << "\r\x1b[K" << line << std::flush;
}

void LiveLine::clear() { draw(""); }

}  // namespace assay::cli
