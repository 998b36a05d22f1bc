#include "harness/run/detail/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "harness/backend/backend.h"
#include "harness/contract/random.h"
#include "harness/contract/version.h"
#include "harness/fault/generate_chaos.h"
#include "harness/plan/generate.h"
#include "harness/plan/generate_engine.h"
#include "harness/plan/generate_processes.h"
#include "harness/proxy/upstream.h"
#include "harness/run/detail/needs.h"
#include "harness/run/engine.h"
#include "harness/run/engine_processes.h"

namespace assay::detail {

static bool triggers_any(const Scenario& scenario, const Selection& selection) {
  return std::ranges::any_of(selection.rules, [&](const Rule* rule) {
    return std::ranges::find(scenario.triggers, rule->id) != scenario.triggers.end();
  });
}

std::uint64_t driver_seed(std::uint64_t seed) { return Random(seed).fork("driver").next(); }

FaultGrounds grounds_of(const CertifyOptions& options) {
  return {options.driver_url, options.server, options.disk, options.why_no_disk};
}

std::optional<std::string> why_not(const FaultInfo& fault, const Profile& profile,
                                   const FaultGrounds& grounds) {
  if ((fault.family == "network" || fault.at_requests) && !grounds.url)
    return "its clients reach their store over no network";
  if (!meets(profile, fault.needs)) return fmt::format("the driver does not meet {}", fault.needs);
  if (fault.family != "store") return std::nullopt;
  const bool has_server = grounds.url && grounds.url->find("://") != std::string::npos;
  if (has_server && !grounds.server) return "its store has a server that we did not start";
  if (fault.needs_server && !grounds.server) return "its store has no server";
  if (fault.needs_disk && !grounds.disk)
    return grounds.why_no_disk.empty() ? "its store's data are on no disk of ours"
                                       : grounds.why_no_disk;
  if (fault.needs_replica && grounds.server->replica() == Replica::none)
    return "no driver claims to outlive a failover; --replica shows what one does";
  return std::nullopt;
}

// What may go wrong in a plan that is drawn.
static std::vector<const FaultInfo*> possible(std::span<const FaultInfo> all,
                                              const Profile& profile,
                                              const CertifyOptions& options) {
  std::vector<const FaultInfo*> some;
  for (const FaultInfo& fault : all)
    if (!why_not(fault, profile, grounds_of(options)) && fault.drawn_from &&
        *fault.drawn_from <= options.level)
      some.push_back(&fault);
  return some;
}

// Why no worker can be a process; nothing where some can.
static std::optional<std::string> why_no_processes(const Profile& profile,
                                                   const CertifyOptions& options) {
  if (!profile.has("shared_storage")) return "processes cannot share its storage";
  if (options.worker_program.empty()) return "there is no program here that could be a worker";
  return std::nullopt;
}

// Why such a fault cannot befall a worker that is a process; nothing where it can.
static std::optional<std::string> why_not_workers(const FaultInfo& fault, const Profile& profile,
                                                  const FaultGrounds& grounds) {
  if (fault.family == "network" && grounds.url && !proxy::upstream_of(*grounds.url).ok())
    return "its workers reach their store over no network";
  return why_not(fault, profile, grounds);
}

// What befalls workers that are processes, in plans that are drawn.
static std::vector<std::string_view> faults_of_processes(std::span<const FaultInfo> all,
                                                         const Profile& profile,
                                                         const CertifyOptions& options) {
  static constexpr std::string_view drawn[] = {"kill_worker",   "pause_worker",     "partition",
                                               "lose_requests", "lose_replies",     "slow_network",
                                               "half_open",     "reset_connections"};
  std::vector<std::string_view> wanted(std::begin(drawn), std::end(drawn)), some;
  // By a caller's wrong clock jobs would be due when they are not.
  if (profile.clock == ClockKnob::store) wanted.push_back("wrong_machine_clock");
  if (options.level >= Level::durability && profile.durability == Durability::crash)
    wanted.push_back("crash_store");
  if (options.level < Level::chaos || why_no_processes(profile, options)) return some;
  for (const FaultInfo& fault : all)
    if (std::ranges::find(wanted, fault.name) != wanted.end() &&
        !why_not_workers(fault, profile, grounds_of(options)))
      some.push_back(fault.name);
  return some;
}

CaseSource::CaseSource(const Profile& profile, const CertifyOptions& options, const Parts& parts,
                       const Selection& selection)
    : profile_(profile),
      driver_(options.driver),
      replica_(options.server && options.server->replica() != Replica::none
                   ? name_of(options.server->replica())
                   : ""),
      seed_(options.seed),
      generated_(options.cases),
      free_(options.level >= Level::concurrency && !options.engine),
      level_(options.level),
      engine_(options.engine) {
  std::map<std::string, int> without;
  const Profile has = engine_ ? with_engine(profile, *engine_) : profile;
  for (const Scenario& scenario : engine_ ? parts.engine_scenarios : parts.scenarios) {
    if (scenario.level > options.level || !meets(has, scenario.needs)) continue;
    if (!options.rules.empty() && !triggers_any(scenario, selection)) continue;
    std::optional<std::string> missing;
    const bool in_processes =
        engine_ && scenario.level >= Level::chaos && is_in_processes(scenario.plan(profile));
    if (in_processes) missing = why_no_processes(profile, options);
    if (scenario.level >= Level::chaos && (!engine_ || in_processes))
      for (const Step& step : scenario.plan(profile).steps)
        if (const auto info = step.fault ? find_fault(parts.faults, *step.fault)
                                         : Result<const FaultInfo*>(nullptr);
            info.ok() && *info && !missing)
          missing = in_processes ? why_not_workers(**info, profile, grounds_of(options))
                                 : why_not(**info, profile, grounds_of(options));
    if (missing)
      ++without[*missing];
    else
      scenarios_.push_back(&scenario);
  }
  if (options.level >= Level::chaos && !profile.in_real_time() && !engine_)
    mix_ = draw_mix(possible(parts.faults, profile, options), options.seed);
  if (engine_) process_faults_ = faults_of_processes(parts.faults, profile, options);
  for (const auto& [why, count] : without)
    left_out_.push_back(
        fmt::format("{} left out: {}",
                    count == 1 ? "one scenario is" : fmt::format("{} scenarios are", count), why));
  for (const Scenario& scenario : parts.scenarios) {
    if (!free_ || !meets(profile, scenario.needs)) continue;
    // What goes wrong there needs clients that move by themselves.
    if (const Plan plan = scenario.plan(profile); is_free(plan) && !has_faults(plan))
      races_.push_back(&scenario);
  }
}

std::optional<std::uint64_t> CaseSource::count() const {
  if (!generated_) return std::nullopt;
  return scenarios_.size() + *generated_;
}

Case CaseSource::draw(std::uint64_t number) const {
  if (number < scenarios_.size()) {
    const Scenario* scenario = scenarios_[number];
    return {scenario->plan(profile_), scenario, std::nullopt};
  }
  number -= scenarios_.size();
  if (engine_) {
    const std::uint64_t seed = Random(seed_).fork(fmt::format("engine/{}", number)).next();
    // Such a case takes as long as hundreds of others.
    constexpr std::uint64_t every = 20;
    if (!process_faults_.empty() && number % every == every - 1)
      return {generate_processes(profile_, seed, process_faults_), nullptr, std::nullopt};
    return {generate_engine(profile_, seed, level_), nullptr, std::nullopt};
  }
  // One client at a time, twice several by a schedule, and several as they come.
  if (free_ && (number % 4 == 1 || number % 4 == 2))
    return explored(number / 4 * 2 + number % 4 - 1);
  // One in eight meets faults, and in one half of these clients move at once.
  if (!mix_.empty() && number % 8 == 0) {
    const std::uint64_t drawn = Random(seed_).fork(fmt::format("chaos/{}", number)).next();
    const bool at_once = number % 16 == 8;
    return {at_once ? generate_free_chaos(profile_, drawn, mix_)
                    : generate_chaos(profile_, drawn, mix_),
            nullptr, std::nullopt};
  }
  const bool free = free_ && number % 4 == 3;
  const std::uint64_t seed = Random(seed_).fork(fmt::format("plan/{}", number)).next();
  return {free ? generate_free(profile_, seed) : generate(profile_, seed), nullptr, seed};
}

// A race that somebody thought of, by a schedule that nobody did; and every third time one that is
// drawn, too.
Case CaseSource::explored(std::uint64_t number) const {
  Case one;
  one.explored = true;
  if (races_.empty() || number % 3 == 2) {
    one.seed = Random(seed_).fork(fmt::format("explored/{}", number)).next();
    one.plan = generate_free(profile_, *one.seed);
  } else {
    one.plan = races_[(number - number / 3) % races_.size()]->plan(profile_);
  }
  one.plan.schedule = schedule_of(number);
  one.plan.name += fmt::format("/by/{}/{}", name_of(one.plan.schedule->kind), number);
  return one;
}

// Each finds what the other misses: a walk where many switches are needed in few moves, priorities
// where one client must stand still for long.
Schedule CaseSource::schedule_of(std::uint64_t number) const {
  Random random = Random(seed_).fork(fmt::format("schedule/{}", number));
  Schedule schedule;
  schedule.kind = random.below(2) == 0 ? Schedule::Kind::random_walk : Schedule::Kind::pct;
  schedule.seed = random.next();
  schedule.depth = 2 + static_cast<int>(random.below(3));
  return schedule;
}

Case CaseSource::at(std::uint64_t number) const {
  Case one = draw(number);
  if (const auto valid = validate(one.plan); !valid.ok())
    throw std::logic_error(
        fmt::format("plan {} is not valid: {}", one.plan.name, valid.error().message));
  return one;
}

ReplayToken CaseSource::token(const Case& one) const {
  ReplayToken token;
  token.assay_version = version();
  token.driver = driver_;
  token.profile = profile_;
  token.replica = replica_;
  if (engine_) token.engine = engine_->name;
  token.driver_seed = driver_seed(seed_);
  token.plan_seed = one.seed;
  token.plan_free = one.seed && is_free(one.plan);
  if (one.seed) token.schedule = one.plan.schedule;
  if (!one.seed) token.plan = one.plan;
  return token;
}

}  // namespace assay::detail
