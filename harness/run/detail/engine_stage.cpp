#include "harness/run/detail/engine_stage.h"

#include <fmt/format.h>
#include <unistd.h>

namespace assay::detail {
namespace {

VirtualSettings settings_of(const DriverInfo& driver, std::uint64_t seed) {
  VirtualSettings settings;
  settings.fibers = driver.interleaving == Interleaving::fibers;
  settings.max_moves = 1'000'000;
  settings.seed = seed;
  return settings;
}

std::unique_ptr<Strategy> strategy_of(const Plan& plan) {
  if (plan.schedule) return strategy_for(*plan.schedule);
  return std::make_unique<RandomWalk>(1);
}

// Whether its locks and statements are gates of a schedule.
bool passes_gates(const DriverInfo& driver) {
  return driver.interleaving == Interleaving::fibers || driver.interleaving == Interleaving::gates;
}

}  // namespace

EngineStage::EngineStage(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
                         const EngineInfo& engine, const std::string& driver_name,
                         const KeptDriver& kept)
    : plan(plan),
      engine(engine),
      seed(options.seed),
      strategy_(strategy_of(plan)),
      runtime_(*strategy_, settings_of(driver, options.seed)),
      name_(driver_name),
      kept_(kept),
      outbox_(engine, [this](EngineEvent event) { tell(std::move(event)); }),
      // Messages come again while the lease of a dead worker still lasts.
      post_(runtime_, {.visibility = options.profile.lease_ttl / 2,
                       .seed = options.seed,
                       .tell = [this](EngineEvent event) { tell(std::move(event)); }}) {
  const bool takes_part = passes_gates(driver);
  Clock& clock = takes_part ? runtime_.clock() : standing_;
  if (!kept.driver)
    made_ = driver.make({options.profile, clock, options.seed, options.url, options.scratch,
                         options.log_folder, takes_part ? &runtime_.gates() : nullptr});
  follows_ = !takes_part;
}

Status EngineStage::find_store() {
  if (!kept_.driver && !made_.ok()) return made_.error();
  store_ = kept_.driver ? kept_.driver : made_->get();
  if (!store_) return Error{ErrorCode::internal, "its factory gave no driver"};
  if (follows_)
    following_ = std::make_unique<FollowingDriver>(*store_, runtime_.clock(), runtime_.gates());
  return Done{};
}

Status EngineStage::set_up(Interception between) {
  if (const Status found = find_store(); !found.ok()) return found;
  // The same for each run: a store may have emptied it for the next one.
  const Setup setup{fmt::format("assay_{}_engine_{}", getpid(), kept_.place)};
  if (const Status set_up = store().setup(setup); !set_up.ok()) return set_up.error();
  seen_ = std::make_unique<InterceptedDriver>(store(), outbox_.interception());
  between_ = std::make_unique<InterceptedDriver>(*seen_, std::move(between));
  recorded_ = std::make_unique<RecordedDriver>(
      *between_, RecordedOptions{name_, plan.name, &runtime_.clock()});
  return Done{};
}

void EngineStage::tell(EngineEvent event) {
  event.now = now();
  recorded_->record(std::move(event));
}

void EngineStage::trouble(Error error) {
  if (!trouble_) trouble_ = std::move(error);
}

}  // namespace assay::detail
