// How many runs it takes to find each race: as clients come, by a random walk, by PCT; and what is
// left of it: how many switches, and how often its token convicts again. Prints the table of
// docs/results.md. Nothing is asserted.
//
//   races_bench [NAME...]    mutants whose names contain one of these; default: all that race
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "drivers/mutants/all.h"
#include "harness/backend/backend.h"
#include "harness/cli/scratch.h"
#include "harness/contract/check.h"
#include "harness/contract/clock.h"
#include "harness/judge/judge.h"
#include "harness/judge/property.h"
#include "harness/run/explore.h"
#include "harness/run/parts.h"
#include "harness/run/run.h"

namespace assay {
namespace {

constexpr std::uint64_t seeds = 5;
constexpr std::uint64_t at_most = 1'000;     // schedules
constexpr std::uint64_t free_at_most = 100;  // runs without one
constexpr int replays = 100;

// So many until something was convicted; absent: more than was tried.
using Needed = std::optional<std::uint64_t>;

std::string median(std::vector<Needed> all, std::uint64_t bound) {
  std::ranges::sort(all, {}, [](const Needed& one) { return one.value_or(UINT64_MAX); });
  const Needed middle = all[all.size() / 2];
  return middle ? fmt::format("{}", *middle) : fmt::format("> {}", bound);
}

class Racing {
 public:
  Racing(const Mutant& mutant, std::string scratch, std::optional<std::string> url)
      : mutant_(mutant),
        info_(mutant.driver()),
        profile_(*built_in_profile(mutant.profile)),
        scratch_(std::move(scratch)),
        url_(std::move(url)) {
    // The rules that are judged with the one it was written for: every other one would be shrunk,
    // too.
    const auto family = std::ranges::find_if(parts_.properties, [&](const Property& property) {
      return std::ranges::find(property.rules, mutant.rules.front()) != property.rules.end();
    });
    parts_.properties = {family, 1};
  }

  std::string row() {
    std::vector<Needed> free, walk, pct;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      free.push_back(as_they_come(seed));
      walk.push_back(explored(seed, ExploreBy::random_walk));
      pct.push_back(explored(seed, ExploreBy::pct));
    }
    return fmt::format("| `{}` | {} | `{}` | {} | {} | {} | {} |\n", mutant_.name,
                       mutant_.rules.front(), mutant_.race, median(free, free_at_most),
                       median(walk, at_most), median(pct, at_most), what_is_left());
  }

 private:
  Plan plan() const {
    return std::ranges::find(parts_.scenarios, mutant_.race, &Scenario::name)->plan(profile_);
  }

  Needed as_they_come(std::uint64_t seed) {
    VirtualClock clock;
    const auto driver = info_.make({profile_, clock, seed, url_, scratch_});
    CHECK(driver.ok());
    for (std::uint64_t n = 1; n <= free_at_most; ++n) {
      const RunResult ran = run(plan(), **driver, info_.name);
      if (!judge(ran.history, parts_.properties).findings.empty()) return n;
    }
    return std::nullopt;
  }

  ExploreOptions options(std::uint64_t seed, ExploreBy by) const {
    ExploreOptions options;
    options.driver = "mutant:" + std::string(mutant_.name);
    options.profile = profile_;
    options.seed = seed;
    options.plan = plan();
    options.by = by;
    options.schedules = at_most;
    options.seconds = 1e9;
    options.shrink_runs = 0;
    options.driver_url = url_;
    options.scratch = scratch_;
    return options;
  }

  Needed explored(std::uint64_t seed, ExploreBy by) {
    const ExploreReport report = explore(info_, options(seed, by), parts_, {});
    if (report.rules.empty()) return std::nullopt;
    return report.schedules;
  }

  // "SWITCHES | CONVICTIONS of REPLAYS"
  std::string what_is_left() {
    ExploreOptions shrinking = options(1, ExploreBy::mix);
    shrinking.shrink_runs = 300;
    const ExploreReport report = explore(info_, shrinking, parts_, {});
    const auto found = std::ranges::find_if(report.rules, [&](const HuntedRule& rule) {
      return rule.report.id == mutant_.rules.front();
    });
    if (found == report.rules.end()) return "- | not found by the mix";
    const auto token = decode_token(found->report.token);
    CHECK(token.ok());
    int convictions = 0;
    for (int i = 0; i < replays; ++i) {
      const ReplayResult again = replay(*token, info_, parts_, {url_, scratch_});
      convictions += again.match && again.convicted ? 1 : 0;
    }
    return fmt::format("{} | {} of {}", switches(found->report.plan->schedule->choices),
                       convictions, replays);
  }

  const Mutant& mutant_;
  const DriverInfo info_;
  const Profile profile_;
  const std::string scratch_;
  const std::optional<std::string> url_;
  Parts parts_ = built_in_parts();
};

bool is_wanted(const Mutant& mutant, int argc, char** argv) {
  if (!mutant.is_racy()) return false;
  if (argc < 2) return true;
  return std::any_of(argv + 1, argv + argc, [&](const char* part) {
    return mutant.name.find(part) != std::string_view::npos;
  });
}

void measure(int argc, char** argv) {
  const auto scratch = cli::Scratch::make();
  CHECK(scratch.ok());
  std::map<std::string, std::unique_ptr<Backend>> servers;
  fmt::print(
      "| mutant | rule | scenario | free-running | random walk | PCT | switches | replays |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const Mutant& mutant : all_mutants()) {
    if (!is_wanted(mutant, argc, argv)) continue;
    std::optional<std::string> url;
    if (const std::string kind = mutant.driver().backend; !kind.empty()) {
      if (!servers.contains(kind)) {
        auto started = start_backend(kind, {.scratch = (*scratch)->path()});
        CHECK(started.ok());
        servers[kind] = std::move(started).value();
      }
      url = servers[kind]->url();
    }
    fmt::print("{}", Racing(mutant, (*scratch)->path(), url).row());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) { assay::measure(argc, argv); }
