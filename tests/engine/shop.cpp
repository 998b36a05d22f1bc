#include "tests/engine/shop.h"

#include "drivers/all.h"

namespace assay::engine {
namespace {

std::unique_ptr<Strategy> strategy_of(const Terms& terms) {
  if (terms.pct) return std::make_unique<Pct>(terms.seed, 4, 600);
  return std::make_unique<RandomWalk>(terms.seed);
}

VirtualSettings settings_of(const Terms& terms) {
  VirtualSettings settings;
  settings.slow_percent = terms.slow_percent;
  settings.seed = terms.seed;
  settings.max_moves = 300'000;
  settings.fibers = terms.driver == "memory" && !terms.threads;
  return settings;
}

}  // namespace

Shop::Shop(Terms terms)
    : terms_(std::move(terms)),
      strategy_(strategy_of(terms_)),
      runtime_(*strategy_, settings_of(terms_)) {
  Profile profile = *built_in_profile(terms_.profile);
  if (terms_.alter) terms_.alter(profile);
  DriverOptions options{profile, runtime_.clock(), terms_.seed, terms_.url, terms_.scratch};
  options.gates = &runtime_.gates();
  for (const DriverInfo& info : all_drivers())
    if (info.name == terms_.driver) driver_ = std::move(info.make(options)).value();
  if (terms_.trouble) wrapped_ = std::make_unique<TroubledDriver>(*driver_, *terms_.trouble);
  EXPECT_TRUE(driver_->setup({"shop"}).ok());
}

Shop::~Shop() = default;

VirtualRun Shop::run(const std::function<void()>& body) {
  auto run = runtime_.run([&] {
    desk_ = std::move(driver_->open({"desk", Role::admin})).value();
    body();
    desk_.reset();
  });
  EXPECT_TRUE(run.is_whole()) << "seed " << terms_.seed << "\n" << run.told();
  return run;
}

WorkerOptions Shop::options(Handler handler, int concurrency) {
  WorkerOptions options;
  options.name = "w";
  options.queues = {"q"};
  options.handlers["t"].run = std::move(handler);
  options.concurrency = concurrency;
  options.observer = this;
  options.seed = terms_.seed;
  options.sweep_every.reset();
  return options;
}

std::unique_ptr<Worker> Shop::start(WorkerOptions options) {
  auto made = Worker::make(runtime_, driver(), std::move(options));
  EXPECT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE((*made)->start().ok());
  return std::move(*made);
}

JobId Shop::put(NewJob job) {
  if (!job.id) job.id = "j" + std::to_string(jobs_.size());
  if (job.queue.empty()) job.queue = "q";
  if (job.type.empty()) job.type = "t";
  const auto answer = desk_->enqueue(now(), {job});
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  jobs_.push_back(*job.id);
  return *job.id;
}

JobView Shop::get(const JobId& id) {
  auto seen = desk_->get(now(), {id});
  EXPECT_TRUE(seen.ok()) << seen.error().message;
  return seen.ok() ? *seen : JobView{};
}

std::vector<JobState> Shop::states() {
  std::vector<JobState> all;
  for (const JobId& id : jobs_) all.push_back(state(id));
  return all;
}

void Shop::cancel(const JobId& id) { EXPECT_TRUE(desk_->cancel(now(), {id}).ok()); }

bool Shop::all_end(Duration at_most) {
  for (const Instant deadline = now() + at_most; now() < deadline; pass(250ms)) {
    bool all = true;
    for (const JobId& id : jobs_) all = all && is_terminal(state(id));
    if (all) return true;
  }
  return false;
}

std::vector<std::string> Shop::story() const {
  std::vector<std::string> lines;
  for (const Event& event : events) lines.push_back(told(event));
  return lines;
}

Handler sleeps(Duration length) {
  return [length](Context& context) -> HandlerResult {
    context.clock().sleep_until(context.clock().now() + length, context.stop());
    if (context.stop().stop_requested()) return Failure{"interrupted"};
    return Success{};
  };
}

}  // namespace assay::engine
