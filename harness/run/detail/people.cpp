#include "harness/run/detail/people.h"

#include <algorithm>
#include <chrono>

#include "harness/contract/clock.h"
#include "harness/run/detail/guarded.h"
#include "harness/run/detail/patience.h"
#include "harness/run/network.h"

namespace assay::detail {

People::People(const Plan& plan, const Stage& stage, const Profile& profile, Times& times,
               std::function<bool()> is_troubled)
    : plan_(plan),
      stage_(stage),
      profile_(profile),
      times_(times),
      is_troubled_(std::move(is_troubled)),
      closed_(plan.clients.size()),
      people_(plan.clients.size()) {
  for (int client = 0; client < clients(); ++client)
    has_line_.push_back(stage.network && suffers(client, [](const FaultInfo& fault) {
                          return fault.family == "network";
                        }));
}

bool People::suffers(int client, bool (*is)(const FaultInfo&)) const {
  return std::ranges::any_of(plan_.steps, [&](const Step& step) {
    if (!step.fault || !(step.fault->everybody || step.client == client)) return false;
    const auto info = find_fault(stage_.faults, *step.fault);
    return info.ok() && is(**info);
  });
}

Status People::open(Driver& driver) {
  sessions_.clear();
  driver_ = &driver;
  for (int client = 0; client < clients(); ++client) {
    auto session = open_session(client);
    if (!session.ok()) return session.error();
    sessions_.push_back(std::move(*session));
    // Who had closed stays closed.
    if (closed_[static_cast<std::size_t>(client)])
      static_cast<void>(guarded([&] { return sessions_.back()->close(); }));
  }
  return Done{};
}

Status People::close() {
  Status first = Done{};
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    if (!sessions_[i] || closed_[i]) continue;
    if (const Status done = guarded([&] { return sessions_[i]->close(); });
        !done.ok() && first.ok())
      first = done;
  }
  sessions_.clear();
  return first;
}

// Over a line that nothing was done to yet, only a machine under load lets anybody wait: that is no
// answer of the driver's.
Result<std::unique_ptr<Session>> People::open_session(int client) {
  for (;;) {
    const Stopwatch watch;
    auto session = open_once(client);
    Patience* patience = has_line(client) ? stage_.patience : nullptr;
    if (!patience || is_troubled_()) return session;
    if (session.ok()) {
      patience->took(watch.seconds());
      return session;
    }
    if (session.error().code != ErrorCode::unavailable || !patience->grow()) return session;
  }
}

Result<std::unique_ptr<Session>> People::open_once(int client) {
  const ClientSpec& planned = plan_.clients[static_cast<std::size_t>(client)];
  SessionSpec spec{planned.name, planned.role};
  spec.may_die = has_faults(plan_);
  if (const Status added = add_clock(client, spec); !added.ok()) return added.error();
  if (stage_.store) {
    auto url = stage_.store->url_of(client);
    if (!url.ok()) return url.error();
    spec.url = std::move(*url);
  }
  if (has_line(client)) {
    auto url = stage_.network->url_of(client);
    if (!url.ok()) return url.error();
    const bool is_impatient = stage_.impatient && stage_.patience;
    spec.url =
        is_impatient ? stage_.impatient(std::move(*url), stage_.patience->now()) : std::move(*url);
  }
  auto session = guarded([&] { return driver_->open(spec); });
  if (session.ok() && !*session)
    return Error{ErrorCode::internal, "the driver opened a null session"};
  return session;
}

// A clock of its own for whoever a fault of the plan wants one.
Status People::add_clock(int client, SessionSpec& spec) {
  const bool is_wanted =
      suffers(client, [](const FaultInfo& fault) { return fault.needs_process_clock; });
  if (!is_wanted || stage_.scratch.empty()) return Done{};
  if (!clocks_.contains(client)) {
    auto made = ProcessClock::make(stage_.scratch);
    if (!made.ok()) return made.error();
    clocks_[client] = std::move(*made);
  }
  spec.environment = clocks_[client]->environment();
  return Done{};
}

Result<Session*> People::begin_call(int client) {
  for (;;) {
    if (const Status there = revive(client); !there.ok()) return there.error();
    const std::lock_guard lock(mutex_);
    if (!session_of(client)) continue;  // it died again at once
    at(client).is_calling = true;
    return session_of(client).get();
  }
}

void People::end_call(int client) {
  const std::lock_guard lock(mutex_);
  at(client).is_calling = false;
  if (!std::exchange(at(client).is_dead, false)) return;
  session_of(client).reset();
  changed_.notify_all();
}

std::size_t People::calling() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(people_, &Person::is_calling));
}

// Who died begins anew, once the call is over that it died in. Opening may pass gates: no lock is
// held meanwhile.
Status People::revive(int client) {
  constexpr std::chrono::seconds patience{30};
  auto& session = session_of(client);
  const Person& person = at(client);
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [&] { return !person.is_dead; }))
      return Error{ErrorCode::unavailable, "the client is dead, and its call has not ended"};
    if (session) return Done{};
    door_.wait(lock, [&] { return !shut_by_ || *shut_by_ == std::this_thread::get_id(); });
    if (session) return Done{};
    ++returning_;
  }
  auto opened = open_session(client);
  const std::lock_guard lock(mutex_);
  --returning_;
  door_.notify_all();
  if (!opened.ok()) return opened.error();
  if (!session) session = std::move(*opened);
  return Done{};
}

void People::let_return(bool may) {
  std::unique_lock lock(mutex_);
  shut_by_ = may ? std::nullopt : std::optional(std::this_thread::get_id());
  door_.notify_all();
  if (!may) door_.wait(lock, [&] { return returning_ == 0; });
}

Result<ClientProcess*> People::process_of(int client) {
  if (const Status there = revive(client); !there.ok()) return there.error();
  const std::lock_guard lock(mutex_);
  return session_of(client)->process();
}

void People::doom(int client) {
  const std::lock_guard lock(mutex_);
  if (auto& session = session_of(client)) session->abandon();
}

void People::lose(int client) {
  const std::lock_guard lock(mutex_);
  if (at(client).is_calling)
    at(client).is_dead = true;
  else
    session_of(client).reset();
}

void People::stall(int client, bool is_stalled) {
  const std::lock_guard lock(mutex_);
  at(client).is_stalled = is_stalled;
  changed_.notify_all();
}

bool People::is_stalled(int client) {
  const std::lock_guard lock(mutex_);
  return at(client).is_stalled;
}

bool People::await_its_turn(int client) {
  std::unique_lock lock(mutex_);
  const Person& person = at(client);
  changed_.wait(lock, [&] { return !person.is_stalled || gave_up_ || !world_moves_; });
  return !person.is_stalled;
}

void People::let_world_move(bool moves) {
  const std::lock_guard lock(mutex_);
  world_moves_ = moves;
  changed_.notify_all();
}

void People::give_up() {
  const std::lock_guard lock(mutex_);
  gave_up_ = true;
  changed_.notify_all();
}

Status People::skew(int client, Duration offset, double drift) {
  if (!by_caller())
    return unsupported("calls do not bring their own clock: the store lives by its own");
  const Instant now = times_.present();
  const std::lock_guard lock(mutex_);
  Person& person = at(client);
  person.offset = offset;
  person.drift = drift;
  person.since = now;
  if (offset.count() == 0 && drift == 0) person.skewed_calls = 0;
  return Done{};
}

std::uint64_t People::skewed_calls(int client) {
  const std::lock_guard lock(mutex_);
  return at(client).skewed_calls;
}

Instant People::now_of(int client, Instant now) {
  const std::lock_guard lock(mutex_);
  Person& person = at(client);
  if (person.offset.count() == 0 && person.drift == 0) return now;
  ++person.skewed_calls;
  const auto passed = static_cast<double>((now - person.since).count());
  return now + person.offset + Duration{static_cast<std::int64_t>(passed * person.drift)};
}

Status People::kill_at(int client, const Cut& cut) {
  if (!stage_.store) return unsupported("its requests to the store cannot be seen");
  const auto process = process_of(client);
  if (!process.ok()) return process.error();
  if (!*process) return unsupported("it has no process of its own");
  const std::lock_guard lock(mutex_);
  at(client).trap = cut;
  at(client).killed.reset();
  return Done{};
}

std::optional<std::string> People::killed_at(int client) {
  const std::lock_guard lock(mutex_);
  return at(client).killed;
}

void People::spare(int client) {
  const std::lock_guard lock(mutex_);
  at(client).trap.reset();
}

std::optional<Cut> People::trap_of(int client) {
  const std::lock_guard lock(mutex_);
  return at(client).trap;
}

void People::it_died(int client) {
  constexpr double patience_seconds = 10;
  doom(client);
  const auto ending = session_of(client)->process()->ending(patience_seconds);
  const std::lock_guard lock(mutex_);
  at(client).killed = ending.value_or("was sent signal 9 and went on living");
  at(client).trap.reset();
  at(client).is_dead = true;
}

Result<ProcessClock*> People::clock_of(int client) {
  if (const auto process = process_of(client); !process.ok() || !*process)
    return process.ok() ? unsupported("it has no process of its own") : process.error();
  const auto clock = clocks_.find(client);
  if (clock == clocks_.end()) return unsupported("its process lives by the machine's clock");
  return clock->second.get();
}

Result<Surroundings::Line> People::line_of(int client) {
  if (!has_line(client))
    return unsupported("the clients have no lines of their own to a store that we could spoil");
  return Line{&stage_.network->lines(), Network::line_of(client)};
}

Result<Backend*> People::store() {
  if (stage_.has_foreign_server) return unsupported("the store has a server that we did not start");
  return stage_.backend;
}

Result<Disk*> People::disk() {
  if (stage_.disk) return stage_.disk;
  return unsupported(stage_.why_no_disk.empty() ? "the store's data are on no disk of ours"
                                                : stage_.why_no_disk);
}

// Connections that the store has dropped are noticed when they are used.
Status People::store_is_back() {
  constexpr int tries = 5;
  if (!stage_.backend)
    if (const Status again = guarded([&] { return driver_->reopen(); }); !again.ok()) return again;
  if (by_caller() || profile_.in_real_time()) return Done{};
  const Instant present = times_.present();
  Result<Instant> now = store_time();
  for (int i = 1; i < tries && !now.ok(); ++i) now = store_time();
  if (now.ok() && *now < present) now = guarded([&] { return driver_->advance(present - *now); });
  if (!now.ok()) return now.error();
  return Done{};
}

Result<Instant> People::store_time() {
  return guarded([&] { return driver_->now(); });
}

Status People::step_store_clock(Duration by) {
  if (by_caller()) return unsupported("the store lives by its callers' clocks, not by its own");
  if (profile_.in_real_time()) return unsupported("the store's clock is not ours to be set");
  {
    // A call would be neither at the one time nor at the other.
    const std::lock_guard lock(mutex_);
    if (world_moves_ || std::ranges::any_of(people_, &Person::is_calling))
      return unsupported("the store's clock is set only while no client moves");
  }
  const auto moved = guarded([&] { return driver_->advance(by); });
  if (!moved.ok() && moved.error().code == ErrorCode::invalid)
    return unsupported("its clock cannot be set back: " + moved.error().message);
  if (!moved.ok()) return moved.error();
  times_.stepped_to(*moved);
  return Done{};
}

}  // namespace assay::detail
