#include "engine/detail/floor.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::engine::detail {

Floor::Floor(Runtime& runtime, Driver& its_driver, WorkerOptions its)
    : clock(runtime.clock()),
      driver(its_driver),
      options(std::move(its)),
      profile(its_driver.profile()),
      lease(options.lease.value_or(profile.lease_ttl)),
      monitor(runtime.monitor("the worker's lock")),
      limits(options.handlers, runtime.clock().now()),
      random(options.seed) {
  for (int i = 0; i < options.concurrency; ++i)
    slots.emplace_back(Line(driver, fmt::format("{}/{}", options.name, i)));
}

void Floor::tell(int slot, const Delivery& delivery, Happening what) {
  tallies.count(what);
  if (options.observer)
    options.observer->see({now(), options.name, slot, delivery, std::move(what)});
}

std::shared_ptr<Run> Floor::admit(Claim claim, int slot, Instant sent_at) {
  const std::int64_t number = run_number(profile, claim);
  auto run = std::make_shared<Run>(std::move(claim), number, slot);
  run->expires_at = later(sent_at, lease);
  run->last_beat = sent_at;
  run->next_beat = later(sent_at, lease / 3);
  runs.push_back(run);
  tell(*run, Claimed{run->claim.job.queue, run->claim.job.type, run->expires_at});
  monitor->notify_all();
  return run;
}

void Floor::forget(const Run& run) {
  std::erase_if(runs, [&](const auto& other) { return other.get() == &run; });
  monitor->notify_all();
}

void Floor::interrupt(Run& run, Interruption why, std::vector<std::stop_source>& to_stop) {
  if (run.why != Interruption::none || run.stage == Stage::settling) return;
  run.why = why;
  tell(run, Interrupted{why});
  to_stop.push_back(run.stop);
}

void Floor::lose(Run& run, std::string how, Interruption why,
                 std::vector<std::stop_source>& to_stop) {
  if (run.is_lost || run.stage == Stage::settling) return;
  run.is_lost = true;
  tell(run, LeaseLost{std::move(how)});
  interrupt(run, why, to_stop);
  monitor->notify_all();
}

void request(std::vector<std::stop_source>& to_stop) {
  for (std::stop_source& stop : to_stop) stop.request_stop();
  to_stop.clear();
}

}  // namespace assay::engine::detail
