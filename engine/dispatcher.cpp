#include "engine/dispatcher.h"

#include <algorithm>
#include <system_error>

#include "engine/detail/office.h"
#include "engine/failure.h"

namespace assay::engine {

using detail::Office;

namespace {

constexpr Duration a_year = std::chrono::days(366);

std::optional<Error> objection_to(const DispatcherOptions& options) {
  if (options.name.empty()) return invalid("the dispatcher has no name");
  if (options.loops.empty()) return invalid("the dispatcher has no loop");
  for (const auto& [queue, channel] : options.channels) {
    if (queue.empty()) return invalid("a queue's name is empty");
    if (!channel) return invalid("the channel of the queue " + queue + " is missing");
  }
  for (const Duration one : {options.outbox_every, options.retries_every, options.reap_every,
                             options.stale_every, options.stale_after})
    if (one < Duration{1} || one > a_year)
      return invalid("a duration is not positive, or longer than a year");
  for (const Duration one : {options.outage_min, options.outage_max})
    if (one < Duration{0} || one > a_year)
      return invalid("a duration is negative, or longer than a year");
  if (options.page < 1 || options.page > most_in_page)
    return invalid("a page does not hold between 1 and 1000");
  if (options.pages < 1) return invalid("a turn looks at no page");
  return objection_to(options.rows);
}

std::optional<Error> objection_to_driver(Driver& driver, const DispatcherOptions& options) {
  const Profile& profile = driver.profile();
  const auto needs = [&](LoopName loop, const char* capability) -> std::optional<Error> {
    if (!options.loops.contains(loop) || profile.has(capability)) return std::nullopt;
    return unsupported("the " + std::string(name_of(loop)) + " needs a driver with " + capability);
  };
  for (const LoopName loop :
       {LoopName::retry_scheduler, LoopName::lease_reaper, LoopName::re_announcer})
    if (auto objection = needs(loop, "list_paged")) return objection;
  return needs(LoopName::lease_reaper, "inspect");
}

Duration every(const DispatcherOptions& options, LoopName loop) {
  switch (loop) {
    case LoopName::outbox:
      break;
    case LoopName::retry_scheduler:
      return options.retries_every;
    case LoopName::lease_reaper:
      return options.reap_every;
    case LoopName::re_announcer:
      return options.stale_every;
  }
  return options.outbox_every;
}

struct Counter {
  DispatcherTallies& tallies;

  void operator()(const RowWritten&) { ++tallies.rows_written; }
  void operator()(const RowPerformed&) { ++tallies.rows_performed; }
  void operator()(const RowFailed&) { ++tallies.rows_failed; }
  void operator()(const RowParked&) { ++tallies.rows_parked; }
  void operator()(const WakeUpSent&) { ++tallies.wakeups_sent; }
  void operator()(const BackingOff&) { ++tallies.outages; }
  void operator()(const TaskHandled& e) { ++(e.ended ? tallies.ended : tallies.announced[e.loop]); }
  template <class Other>
  void operator()(const Other&) {}
};

// A loop, and the line that it calls by.
struct Desk {
  Desk(Office& office, LoopName its)
      : name(its),
        loop(detail::make_loop(its, office)),
        line(office.driver, office.options.name + "/" + std::string(name_of(its))) {}

  const LoopName name;
  const std::unique_ptr<detail::Loop> loop;
  detail::Line line;
  int troubles = 0;
};

// How long until the next turn.
Duration pause_after(Office& office, Desk& desk, const Result<bool>& turned) {
  const DispatcherOptions& options = office.options;
  if (turned.ok()) {
    desk.troubles = 0;
    // Rows are work to be done; tasks are merely looked at.
    if (*turned && desk.name == LoopName::outbox) return Duration{0};
    const Duration length = every(options, desk.name);
    return length - office.drawn_up_to(length / 2);
  }
  RetryPolicy window;
  window.base = std::max(options.outage_min, Duration{1});
  window.cap = std::max(options.outage_max, window.base);
  desk.troubles = std::min(desk.troubles + 1, 62);
  // Not nothing: a store that refuses at once would be asked without a pause.
  const Duration delay =
      std::max(office.drawn_up_to(window_of(window, desk.troubles)), Duration{1});
  office.tell({}, 0, BackingOff{turned.error(), delay});
  return delay;
}

void run(Office& office, Desk& desk) {
  while (!office.ends()) {
    std::unique_lock held(*office.monitor);
    const std::uint64_t hints = office.hints;
    held.unlock();
    const auto turned = desk.loop->turn(desk.line);
    const Duration pause = pause_after(office, desk, turned);
    const bool hears = turned.ok() && desk.name == LoopName::outbox;
    held.lock();
    const Instant since = office.now();
    const Instant until = later(since, pause);
    // A clock that is set back must not make it wait for as long again.
    while (!office.is_ending && !(hears && hints != office.hints) && office.now() >= since &&
           office.monitor->wait_until(until)) {
    }
  }
  desk.line.hang_up();
}

}  // namespace

void DispatcherTallies::count(const Happening& what) { std::visit(Counter{*this}, what); }

class Dispatcher::Body {
 public:
  Body(Runtime& runtime, Driver& driver, DispatcherOptions options)
      : runtime_(runtime), office_(runtime, driver, std::move(options)) {
    for (const LoopName loop : office_.options.loops)
      desks_.push_back(std::make_unique<Desk>(office_, loop));
  }

  Status start() {
    office_.tell({}, 0, PhaseBegan{Phase::started});
    try {
      for (const auto& desk : desks_)
        tasks_.push_back(
            runtime_.start(office_.options.name + "/" + std::string(name_of(desk->name)),
                           [this, &desk = *desk](std::stop_token) { run(office_, desk); }));
      return Done{};
    } catch (const std::system_error& error) {
      shutdown();
      return Error{ErrorCode::unavailable, std::string("cannot start a task: ") + error.what(),
                   LeaseReason::unstated, true};
    }
  }

  void shutdown() {
    {
      const std::lock_guard lock(*office_.monitor);
      if (std::exchange(office_.is_ending, true)) return;
      office_.monitor->notify_all();
    }
    for (const auto& task : tasks_) static_cast<void>(task->join_until(std::nullopt));
    tasks_.clear();
    for (const auto& desk : desks_) desk->line.hang_up();
    office_.tell({}, 0, PhaseBegan{Phase::ended});
  }

  void hint() { office_.hint(); }

  Result<bool> turn(LoopName loop) {
    for (const auto& desk : desks_)
      if (desk->name == loop) return desk->loop->turn(desk->line);
    return invalid("the dispatcher has no loop " + std::string(name_of(loop)));
  }

  DispatcherTallies tallies() const {
    const std::lock_guard lock(*office_.monitor);
    return office_.tallies;
  }

 private:
  Runtime& runtime_;
  Office office_;
  std::vector<std::unique_ptr<Desk>> desks_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

Dispatcher::Dispatcher(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Dispatcher::~Dispatcher() { body_->shutdown(); }

Result<std::unique_ptr<Dispatcher>> Dispatcher::make(Runtime& runtime, Driver& driver,
                                                     DispatcherOptions options) {
  if (auto objection = objection_to(options)) return *objection;
  if (auto objection = objection_to_driver(driver, options)) return *objection;
  return std::unique_ptr<Dispatcher>(
      new Dispatcher(std::make_unique<Body>(runtime, driver, std::move(options))));
}

Status Dispatcher::start() { return body_->start(); }
void Dispatcher::shutdown() { body_->shutdown(); }
void Dispatcher::hint() { body_->hint(); }
Result<bool> Dispatcher::turn(LoopName loop) { return body_->turn(loop); }
DispatcherTallies Dispatcher::tallies() const { return body_->tallies(); }

}  // namespace assay::engine
