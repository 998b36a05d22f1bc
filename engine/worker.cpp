#include "engine/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "engine/detail/flow_names.h"
#include "engine/detail/keeper.h"
#include "engine/detail/sweeper.h"
#include "engine/detail/watch.h"
#include "engine/detail/workplace.h"

namespace assay::engine {

using detail::Held;
using detail::Slot;

namespace {

// Kept by every task: one whose handler never returns outlives the worker.
struct Staff {
  Staff(Runtime& runtime, Driver& driver, WorkerOptions options)
      : floor(runtime, driver, std::move(options)), intake(floor), settler(floor) {}

  detail::Floor floor;
  detail::Intake intake;
  detail::Settler settler;
};

constexpr Duration a_year = std::chrono::days(366);

std::optional<Error> objection_to(const std::string& type, const HandlerSpec& spec) {
  const auto says = [&](const char* what) { return invalid("the handler of " + type + what); };
  if (type.empty()) return invalid("a handler is registered for a type without a name");
  if (!spec.run) return says(" is empty");
  if (spec.timeout && *spec.timeout <= Duration{0})
    return says(" has a timeout that is not positive");
  if (spec.concurrency && *spec.concurrency < 1) return says(" may never run");
  if (spec.rate && (spec.rate->every <= Duration{0} || spec.rate->burst < 1))
    return says(" has a rate that is not positive");
  if (spec.rate && (spec.rate->every > a_year || spec.rate->burst > 1'000'000))
    return says(" has a rate beyond all bounds");
  return spec.policy ? objection_to(*spec.policy) : std::nullopt;
}

std::optional<Error> objection_to(const WorkerOptions& options) {
  if (options.name.empty()) return invalid("the worker has no name");
  if (options.queues.empty()) return invalid("the worker has no queue");
  if (std::ranges::any_of(options.queues, &std::string::empty))
    return invalid("a queue's name is empty");
  if (options.handlers.empty()) return invalid("the worker has no handler");
  if (!options.looks_itself && !options.wakeups)
    return invalid("the worker neither looks for jobs nor hears of them");
  if (options.concurrency < 1 || options.concurrency > 10'000)
    return invalid("the worker's concurrency is not between 1 and 10000");
  // A third of it is a heartbeat's interval.
  if (options.lease && *options.lease < Duration{3}) return invalid("the lease is too short");
  if (options.lease && *options.lease > a_year) return invalid("the lease is longer than a year");
  for (const Duration one :
       {options.poll_min, options.poll_max, options.outage_min, options.outage_max, options.defer,
        options.grace, options.interruption})
    if (one < Duration{0} || one > a_year)
      return invalid("a duration is negative, or longer than a year");
  if (options.sweep_every && (*options.sweep_every <= Duration{0} || *options.sweep_every > a_year))
    return invalid("flows are swept never, or all the time");
  if (options.handlers.contains(detail::steward_type))
    return invalid("jobs of the type " + std::string(detail::steward_type) + " are the engine's");
  for (const auto& [type, spec] : options.handlers)
    if (auto objection = objection_to(type, spec)) return objection;
  return options.policy ? objection_to(*options.policy) : std::nullopt;
}

Handler wrapped(Handler handler, const std::vector<Middleware>& middleware) {
  for (auto layer = middleware.rbegin(); layer != middleware.rend(); ++layer)
    handler = [layer = *layer, next = std::move(handler)](Context& context) {
      return layer(context, next);
    };
  return handler;
}

void listen(Staff& staff, WakeUps& wakeups, std::stop_token stop) {
  detail::Floor& floor = staff.floor;
  while (!stop.stop_requested()) {
    const Instant deadline = later(floor.now(), std::chrono::hours(1));
    if (const auto wakeup = wakeups.wait_until(deadline, stop)) {
      const Held held(*floor.monitor);
      staff.intake.hear(*wakeup);
    } else if (floor.now() < deadline) {
      // It returned early: a channel that is broken must not be asked without a pause.
      floor.clock.sleep_until(later(floor.now(), floor.options.poll_max), stop);
    }
  }
}

}  // namespace

class Worker::Body {
 public:
  Body(Runtime& runtime, Driver& driver, WorkerOptions options)
      : runtime_(runtime), staff_(std::make_shared<Staff>(runtime, driver, std::move(options))) {}

  Status start();
  Ending shutdown();
  void hurry() {
    const Held held(*staff_->floor.monitor);
    staff_->floor.is_hurried = true;
    staff_->floor.monitor->notify_all();
  }
  Tallies tallies() const {
    const Held held(*staff_->floor.monitor);
    return staff_->floor.tallies;
  }

 private:
  bool all_slots_are(Held&, bool (*how)(const Slot&)) const {
    return std::ranges::all_of(staff_->floor.slots, how);
  }
  void start_tasks();
  // Unless that is enough before.
  void wait_for_slots(Held& held, Duration length, const bool& enough);
  void drain(Held& held);
  void interrupt(Held& held);
  Ending leave_the_rest(Held& held);

  Runtime& runtime_;
  const std::shared_ptr<Staff> staff_;  // shared with the tasks
  std::vector<std::unique_ptr<Task>> slots_, helpers_;
  bool is_running_ = false;
};

Status Worker::Body::start() {
  is_running_ = true;
  try {
    start_tasks();
    return Done{};
  } catch (const std::system_error& error) {
    {
      const Held held(*staff_->floor.monitor);
      for (std::size_t i = slots_.size(); i < staff_->floor.slots.size(); ++i)
        staff_->floor.slots[i].has_ended = true;
    }
    static_cast<void>(shutdown());
    return Error{ErrorCode::unavailable, std::string("cannot start a task: ") + error.what(),
                 LeaseReason::unstated, true};
  }
}

void Worker::Body::start_tasks() {
  const std::string& name = staff_->floor.options.name;
  {
    const Held held(*staff_->floor.monitor);
    staff_->floor.tell(-1, {}, PhaseBegan{Phase::started});
  }
  helpers_.push_back(runtime_.start(
      name + "/keeper", [staff = staff_](std::stop_token) { detail::keep_leases(staff->floor); }));
  helpers_.push_back(runtime_.start(
      name + "/watch", [staff = staff_](std::stop_token) { detail::watch_time(staff->floor); }));
  if (WakeUps* wakeups = staff_->floor.options.wakeups)
    helpers_.push_back(
        runtime_.start(name + "/ear", [staff = staff_, wakeups](std::stop_token stop) {
          listen(*staff, *wakeups, std::move(stop));
        }));
  if (staff_->floor.options.sweep_every)
    helpers_.push_back(runtime_.start(name + "/sweeper",
                                      [staff = staff_, &runtime = runtime_](std::stop_token stop) {
                                        detail::sweep_now_and_then(staff->floor, runtime, stop);
                                      }));
  for (int i = 0; i < staff_->floor.options.concurrency; ++i)
    slots_.push_back(
        runtime_.start(fmt::format("{}/{}", name, i), [staff = staff_, i](std::stop_token) {
          detail::Workplace(staff->floor, staff->intake, staff->settler, i).work();
        }));
}

static bool has_ended(const Slot& slot) { return slot.has_ended; }

// A clock that is set back does not make it longer than that once more.
void Worker::Body::wait_for_slots(Held& held, Duration length, const bool& enough) {
  detail::Floor& floor = staff_->floor;
  for (Instant since = floor.now(); !enough && !all_slots_are(held, has_ended);) {
    since = std::min(since, floor.now());
    if (!floor.monitor->wait_until(later(since, length))) return;
  }
}

void Worker::Body::drain(Held& held) {
  detail::Floor& floor = staff_->floor;
  floor.is_draining = true;
  floor.tell(-1, {}, PhaseBegan{Phase::draining});
  floor.monitor->notify_all();
  wait_for_slots(held, floor.options.grace, floor.is_hurried);
}

void Worker::Body::interrupt(Held& held) {
  detail::Floor& floor = staff_->floor;
  floor.is_interrupting = true;
  floor.tell(-1, {}, PhaseBegan{Phase::interrupting});
  std::vector<std::stop_source> to_stop;
  for (const auto& run : floor.runs)
    if (run->stage == detail::Stage::running)
      floor.interrupt(*run, Interruption::shutdown, to_stop);
  floor.monitor->notify_all();
  held.unlock();
  detail::request(to_stop);
  held.lock();
  wait_for_slots(held, floor.options.interruption, false);
}

// Who is in a handler is left there. It is not put back: while the handler runs, only its lease may
// end before another one runs the job. Who waits for the store is waited for.
Ending Worker::Body::leave_the_rest(Held& held) {
  detail::Floor& floor = staff_->floor;
  Ending ending;
  floor.gives_up = true;
  floor.monitor->notify_all();
  for (const auto& run : floor.runs) {
    Slot& slot = floor.slot(run->slot);
    if (!slot.in_handler) continue;
    slot.is_left = true;
    floor.tell(*run, DidNotReturn{});
    ending.did_not_return.push_back(run->delivery());
  }
  while (
      !all_slots_are(held, [](const Slot& s) { return s.has_ended || (s.is_left && !s.in_call); }))
    floor.monitor->wait_until(std::nullopt);
  return ending;
}

Ending Worker::Body::shutdown() {
  if (!std::exchange(is_running_, false)) return {};
  detail::Floor& floor = staff_->floor;
  Held held(*floor.monitor);
  drain(held);
  if (!all_slots_are(held, has_ended)) interrupt(held);
  const Ending ending = leave_the_rest(held);
  floor.has_ended = true;
  floor.monitor->notify_all();
  held.unlock();
  for (auto& task : helpers_) task->request_stop();
  helpers_.clear();
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (floor.slots[i].is_left) {
      floor.slots[i].line.hang_up();  // its task does not use it any more
      slots_[i]->let_go();
    }
  slots_.clear();
  held.lock();
  floor.tell(-1, {}, PhaseBegan{Phase::ended});
  return ending;
}

Worker::Worker(std::unique_ptr<Body> body) : body_(std::move(body)) {}

Worker::~Worker() { static_cast<void>(body_->shutdown()); }

Result<std::unique_ptr<Worker>> Worker::make(Runtime& runtime, Driver& driver,
                                             WorkerOptions options) {
  if (auto objection = objection_to(options)) return *objection;
  for (auto& [type, spec] : options.handlers) spec.run = wrapped(spec.run, options.middleware);
  if (!options.policy) options.policy = policy_of(driver.profile());
  return std::unique_ptr<Worker>(
      new Worker(std::make_unique<Body>(runtime, driver, std::move(options))));
}

Status Worker::start() { return body_->start(); }
Ending Worker::shutdown() { return body_->shutdown(); }
void Worker::hurry() { body_->hurry(); }
Tallies Worker::tallies() const { return body_->tallies(); }

}  // namespace assay::engine
