#include "harness/schedule/detail/virtual_core.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/contract/check.h"

namespace assay {

thread_local const VirtualRuntime::Core* VirtualRuntime::Core::of = nullptr;
thread_local int VirtualRuntime::Core::me = -1;

VirtualRuntime::Core::Core(Strategy& strategy, const VirtualSettings& settings)
    : settings_(settings),
      scheduler_(strategy, 0),
      chance_(settings.seed),
      clock_(settings.begin),
      carrier_((settings.fibers ? scheduling::task_fibers : scheduling::task_threads)(
          [this](int task) { of = this, me = task; })) {}

// --- Gates ---

bool VirtualRuntime::Core::on() const { return of == this; }

void VirtualRuntime::Core::pass(const char* where) {
  if (!on()) return;
  Held held(mutex_);
  scheduler_.at_gate(me, where);
  stand(held);
}

bool VirtualRuntime::Core::wait(const char* for_what, const void* what) {
  CHECK(on());
  Held held(mutex_);
  scheduler_.waits(me, for_what, what);
  stand(held);
  return true;  // where nobody ever opens it, it stands there for good
}

void VirtualRuntime::Core::opened(const void* what) {
  if (!on()) return;
  const Held held(mutex_);
  scheduler_.opened(what);
}

// --- Clock ---

void VirtualRuntime::Core::sleep_until(Instant when, std::stop_token stop) {
  if (!on()) return clock_.sleep_until(when, stop);
  bool is_asked = false;
  // It takes no turn: whoever asks goes on at once, and so need not be waited for.
  const std::stop_callback asked(stop, [this, &is_asked, sleeper = me] {
    const Held held(mutex_);
    is_asked = true;
    wake(sleeper);
  });
  Held held(mutex_);
  if (is_asked) {
    scheduler_.at_gate(me, "sleep");
    return stand(held);
  }
  static_cast<void>(wait_for_wake(held, "time to pass", when));
}

// --- tasks ---

int VirtualRuntime::Core::start(std::string name, Body body) {
  const Held held(mutex_);
  const int number = scheduler_.joins();
  tasks_.push_back(std::make_unique<Carried>());
  Carried& task = at(number);
  task.its_end = "the end of " + name;
  task.name = std::move(name);
  task.body = std::move(body);
  carrier_->add([core = shared_from_this(), number] { core->live(number); });
  return number;
}

void VirtualRuntime::Core::live(int number) {
  Held held(mutex_);
  Carried& task = at(number);
  held.unlock();
  task.body(task.stop.get_token());
  task.body = nullptr;
  held.lock();
  if (over_) stand_for_good(held);
  task.has_ended = true;
  for (const int joiner : task.joiners) wake(joiner);
  scheduler_.ended(me);
  let_one_go();
}

void VirtualRuntime::Core::request_stop(int task) {
  Held held(mutex_);
  std::stop_source& stop = at(task).stop;
  held.unlock();
  stop.request_stop();
}

bool VirtualRuntime::Core::join(int task, const std::optional<Instant>& deadline) {
  Held held(mutex_);
  Carried& other = at(task);
  while (!other.has_ended) {
    CHECK(on());
    other.joiners.push_back(me);
    const bool in_time = wait_for_wake(held, other.its_end.c_str(), deadline);
    std::erase(other.joiners, me);
    if (!in_time) break;
  }
  return other.has_ended;
}

void VirtualRuntime::Core::let_go_of(int task) {
  const Held held(mutex_);
  at(task).is_let_go = true;
}

bool VirtualRuntime::Core::needs_no_end(int task) {
  const Held held(mutex_);
  return over_ || at(task).has_ended || at(task).is_let_go;
}

// --- monitors ---

void VirtualRuntime::Core::acquire(Lock& lock) {
  Held held(mutex_);
  if (on()) {
    scheduler_.at_gate(me, lock.name);
    stand(held);
  }
  retake(held, lock);
}

void VirtualRuntime::Core::retake(Held& held, Lock& lock) {
  while (lock.held) {
    CHECK(on());
    scheduler_.waits(me, lock.name, &lock);
    stand(held);
  }
  lock.held = true;
}

void VirtualRuntime::Core::release(Lock& lock) {
  const Held held(mutex_);
  CHECK(lock.held);
  lock.held = false;
  scheduler_.opened(&lock);
}

bool VirtualRuntime::Core::wait_in(Lock& lock, const std::optional<Instant>& deadline) {
  CHECK(on());
  Held held(mutex_);
  CHECK(lock.held);
  lock.held = false;
  scheduler_.opened(&lock);
  lock.waiting.push_back(me);
  const bool in_time = wait_for_wake(held, lock.name, deadline);
  std::erase(lock.waiting, me);
  retake(held, lock);
  return in_time;
}

void VirtualRuntime::Core::notify(Lock& lock, bool all) {
  const Held held(mutex_);
  // Whose time is up does not wait any more: it must not use up what another was meant to have.
  std::erase_if(lock.waiting, [this](int task) { return at(task).timed_out; });
  if (lock.waiting.empty()) return;
  if (!all) std::swap(lock.waiting[chance_.below(lock.waiting.size())], lock.waiting.back());
  do {
    wake(lock.waiting.back());
    lock.waiting.pop_back();
  } while (all && !lock.waiting.empty());
}

// --- turns ---

// Each waits at an address of its own, so that one can be woken, and by time.
bool VirtualRuntime::Core::wait_for_wake(Held& held, const char* for_what,
                                         const std::optional<Instant>& deadline) {
  Carried& task = at(me);
  task.timed_out = deadline && *deadline <= now();
  if (task.timed_out) {
    scheduler_.at_gate(me, for_what);
  } else {
    task.deadline = deadline;
    scheduler_.waits(me, for_what, &task);
  }
  stand(held);
  task.deadline.reset();
  return !task.timed_out;
}

void VirtualRuntime::Core::wake(int task) {
  at(task).deadline.reset();
  scheduler_.opened(&at(task));
}

void VirtualRuntime::Core::stand(Held& held) {
  if (over_) stand_for_good(held);
  if (let_one_go() == me) return;
  const int standing = me;
  held.unlock();
  carrier_->stand(standing);
  held.lock();
}

// It is left behind: nobody can make it give up what it holds.
void VirtualRuntime::Core::stand_for_good(Held& held) {
  const int standing = me;
  held.unlock();
  for (;;) carrier_->stand(standing);
}

int VirtualRuntime::Core::let_one_go() {
  while (!over_) {
    if (told_.moves.size() >= settings_.max_moves) {
      told_.over_bound = true;
      finish();
    } else if (machine_is_slow()) {
      const Duration left = *next_deadline() - now();
      const auto passes = chance_.below(2 * static_cast<std::uint64_t>(left.count()));
      pass_time_until(now() + std::min(left, Duration{static_cast<std::int64_t>(passes) + 1}));
    } else if (const auto next = scheduler_.let_one_go()) {
      told_.moves.push_back(*next);
      if (!on() || *next != me) carrier_->go(*next);
      return *next;
    } else if (const auto deadline = next_deadline()) {
      pass_time_until(*deadline);
    } else {
      nobody_can();
    }
  }
  return -1;
}

std::optional<Instant> VirtualRuntime::Core::next_deadline() const {
  std::optional<Instant> first;
  for (const auto& task : tasks_)
    if (task->deadline && (!first || *task->deadline < *first)) first = task->deadline;
  return first;
}

bool VirtualRuntime::Core::machine_is_slow() {
  if (settings_.slow_percent == 0 || !next_deadline() || !scheduler_.anybody_could()) return false;
  return chance_.below(100) < static_cast<std::uint64_t>(settings_.slow_percent);
}

void VirtualRuntime::Core::pass_time_until(Instant when) {
  told_.moves.push_back(VirtualRun::time_moved);
  clock_.move_to(when);
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (tasks_[i]->deadline && *tasks_[i]->deadline <= when) {
      tasks_[i]->timed_out = true;
      wake(static_cast<int>(i));
    }
}

void VirtualRuntime::Core::nobody_can() {
  for (const Waiting& waiting : scheduler_.who_waits())
    if (const Carried& task = at(waiting.client); !task.is_let_go)
      told_.deadlock.push_back(fmt::format("{} waits for {}", task.name, waiting.for_what));
  finish();
}

void VirtualRuntime::Core::finish() {
  over_ = true;
  for (const auto& task : tasks_) {
    told_.names.push_back(task->name);
    if (!task->has_ended && task->is_let_go) told_.left_behind.push_back(task->name);
  }
  ended_.notify_all();
}

VirtualRun VirtualRuntime::Core::run(std::function<void()> body) {
  CHECK(tasks_.empty());
  start("main", [body = std::move(body)](std::stop_token) { body(); });
  Held held(mutex_);
  let_one_go();
  carrier_->begin();
  watch_over(held);
  VirtualRun told = std::move(told_);
  std::vector<bool> ended;
  for (const auto& task : tasks_) ended.push_back(task->has_ended);
  held.unlock();
  carrier_->end([&](int task) { return ended[static_cast<std::size_t>(task)]; },
                !told.hung.empty());
  return told;
}

void VirtualRuntime::Core::watch_over(Held& held) {
  std::size_t seen = told_.moves.size();
  while (!ended_.wait_for(held, std::chrono::duration<double>(settings_.hang_seconds),
                          [this] { return over_; })) {
    if (told_.moves.size() == seen) {
      if (scheduler_.anybody_moves()) told_.hung.push_back(at(scheduler_.moving()).name);
      return finish();
    }
    seen = told_.moves.size();
  }
}

}  // namespace assay
