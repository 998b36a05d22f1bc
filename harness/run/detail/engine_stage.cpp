#include "harness/run/detail/engine_stage.h"

namespace assay::detail {
namespace {

VirtualSettings settings_of(const DriverInfo& driver, std::uint64_t seed) {
  VirtualSettings settings;
  settings.fibers = driver.interleaving == Interleaving::fibers;
  settings.max_moves = 400'000;
  settings.seed = seed;
  return settings;
}

std::unique_ptr<Strategy> strategy_of(const Plan& plan) {
  if (plan.schedule) return strategy_for(*plan.schedule);
  return std::make_unique<RandomWalk>(1);
}

}  // namespace

EngineStage::EngineStage(const Plan& plan, const DriverInfo& driver, const DriverOptions& options,
                         const EngineInfo& engine, const std::string& driver_name)
    : plan(plan),
      engine(engine),
      seed(options.seed),
      strategy_(strategy_of(plan)),
      runtime_(*strategy_, settings_of(driver, options.seed)),
      name_(driver_name) {
  made_ = driver.make({options.profile, runtime_.clock(), options.seed, options.url,
                       options.scratch, options.log_folder, &runtime_.gates()});
}

Status EngineStage::set_up(Interception between) {
  if (!made_.ok()) return made_.error();
  if (!*made_) return Error{ErrorCode::internal, "its factory gave no driver"};
  store_ = std::move(*made_);
  if (const Status set_up = store_->setup({"engine"}); !set_up.ok()) return set_up.error();
  between_ = std::make_unique<InterceptedDriver>(*store_, std::move(between));
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
