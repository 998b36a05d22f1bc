#include "harness/run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "harness/backend/disk.h"
#include "harness/clock/process_clock.h"
#include "harness/contract/random.h"
#include "harness/history/payload.h"
#include "harness/plan/brief.h"
#include "harness/run/detail/fault_work.h"
#include "harness/run/detail/pace.h"
#include "harness/run/detail/references.h"
#include "harness/run/detail/store_clock.h"
#include "harness/run/network.h"

namespace assay {
namespace {

// Whatever a driver throws against its promise is an answer that nobody understands.
template <class Call>
auto guarded(Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& thrown) {
    return Error{ErrorCode::internal, fmt::format("the driver threw: {}", thrown.what())};
  } catch (...) {
    return Error{ErrorCode::internal, "the driver threw something that is no exception"};
  }
}

void compact(std::string& payload) { payload = compact_payload(std::move(payload)); }

void compact(Response& response) {
  if (auto* claims = std::get_if<Claims>(&response))
    for (auto& claim : claims->claims) compact(claim.job.payload);
  if (auto* view = std::get_if<JobView>(&response)) compact(view->job.payload);
  if (auto* page = std::get_if<JobPage>(&response))
    for (auto& job : page->jobs) compact(job.payload);
  if (auto* page = std::get_if<DeadPage>(&response))
    for (auto& entry : page->entries) compact(entry.job.payload);
}

// A plan of our own, where the one given is not what is run, or may be needed by a client that
// never comes back.
std::optional<Plan> own_plan(const Plan& plan, const Profile& profile) {
  if (profile.in_real_time()) return brief(plan, profile);
  return plan.schedule ? std::optional(plan) : std::nullopt;
}

// The strategy knows clients by the plan's numbers; a round has only some of them.
class Renumbered final : public Strategy {
 public:
  Renumbered(Strategy& strategy, const std::vector<int>& movers)
      : strategy_(strategy), movers_(movers) {}

  int choose(std::span<const int> candidates, int last) override {
    known_.clear();
    for (const int number : candidates) known_.push_back(of(number));
    const int mover = strategy_.choose(known_, last < 0 ? last : of(last));
    return static_cast<int>(std::ranges::find(movers_, mover) - movers_.begin());
  }

 private:
  int of(int number) const { return movers_[static_cast<std::size_t>(number)]; }

  Strategy& strategy_;
  const std::vector<int>& movers_;
  std::vector<int> known_;
};

class Runner : public std::enable_shared_from_this<Runner>, private Surroundings {
 public:
  Runner(const Plan& plan, Driver& driver, const std::string& driver_name, const Stage& stage,
         const Interruptions* interruptions = nullptr)
      : own_(own_plan(plan, driver.profile())),
        plan_(own_ ? *own_ : plan),
        driver_(&driver),
        stage_(stage),
        interruptions_(interruptions),
        references_(plan_, result_.history.profile),
        people_(plan.clients.size()),
        faults_(stage.faults, *this, stage.journal,
                [this](FaultEvent event) { tell(std::move(event)); }) {
    History& history = result_.history;
    history.driver = driver_name;
    history.profile = driver.profile();
    history.plan = plan.name;
    for (const auto& client : plan.clients) history.clients.push_back(client.name);
    history.events.reserve(2 * plan.steps.size());
    result_.step_of_op.reserve(plan.steps.size());
  }

  RunResult run() {
    if (const auto valid = validate(plan_); !valid.ok()) return in_trouble(valid.error());
    if (interruptions_) return run_inside();
    // Two processes on one store, with one seed, must not share a namespace.
    const std::string place = stage_.place > 0 ? fmt::format("_{}", stage_.place) : "";
    const Setup setup{fmt::format("assay_{}_{:016x}{}", getpid(), stable_hash(plan_.name), place)};
    if (const auto ready = guarded([&] { return driver_->setup(setup); }); !ready.ok())
      return in_trouble(ready.error());
    if (const Status kept = keep_namespace(); !kept.ok()) return in_trouble(kept.error());
    if (open()) count_steps();
    heal();
    if (result_.hung) return std::move(result_);
    if (!result_.trouble && !by_caller() && !in_real_time()) stood_still();
    close();
    if (const auto gone = guarded([&] { return driver_->teardown(); }); !gone.ok())
      trouble(gone.error());
    return std::move(result_);
  }

 private:
  // That the store was made ready is no call of the contract: what is lost with the power is what
  // was done since, and shows only in a store that is there.
  Status keep_namespace() {
    const bool may_lose = std::ranges::any_of(plan_.steps, [&](const Step& step) {
      if (!step.fault) return false;
      const auto info = find_fault(stage_.faults, *step.fault);
      return info.ok() && (*info)->needs_disk;
    });
    return may_lose && stage_.disk ? stage_.disk->sync() : Status(Done{});
  }

  RunResult run_inside() {
    if (open()) steps();
    heal();
    sessions_.clear();
    return std::move(result_);
  }

  // Whatever was made to go wrong is put right.
  void heal() {
    faults_.end_all();
    result_.faults = faults_.records();
    for (const FaultRecord& fault : result_.faults)
      if (fault.is_void() && !result_.void_because)
        result_.void_because = fmt::format("{}: {}", fault.fault, fault.why_not);
  }

  // The first trouble is the one that is told.
  bool trouble(const Error& error) {
    if (!result_.trouble) result_.trouble = error;
    {
      const std::lock_guard lock(people_mutex_);
      broken_ = true;
    }
    people_changed_.notify_all();
    return false;
  }

  RunResult in_trouble(const Error& error) {
    trouble(error);
    return std::move(result_);
  }

  bool by_caller() const { return result_.history.profile.clock == ClockKnob::caller; }
  bool in_real_time() const { return result_.history.profile.in_real_time(); }

  // Not later than what the store's clock shows.
  Instant now() const { return in_real_time() ? store_clock_.earliest() : now_; }
  bool compare_clocks() {
    const auto compared = guarded([&] { return store_clock_.compare(*driver_); });
    return compared.ok() ? true : trouble(compared.error());
  }

  bool open() {
    now_ = run_epoch;
    if (in_real_time()) {
      if (!compare_clocks()) return false;
    } else if (!by_caller()) {
      const auto now = guarded([&] { return driver_->now(); });
      if (!now.ok()) return trouble(now.error());
      now_ = *now;
    }
    closed_.resize(plan_.clients.size());
    return open_sessions();
  }

  bool open_sessions() {
    for (std::size_t client = 0; client < plan_.clients.size(); ++client) {
      auto session = open_session(client);
      if (!session.ok()) return trouble(session.error());
      sessions_.push_back(std::move(*session));
      // Who had closed stays closed.
      if (closed_[client]) static_cast<void>(guarded([&] { return sessions_.back()->close(); }));
    }
    return true;
  }

  Result<std::unique_ptr<Session>> open_session(std::size_t client) {
    SessionSpec spec{plan_.clients[client].name, plan_.clients[client].role};
    spec.may_die = has_faults(plan_);
    if (const Status added = add_clock(static_cast<int>(client), spec); !added.ok())
      return added.error();
    if (stage_.store) {
      auto url = stage_.store->url_of(static_cast<int>(client));
      if (!url.ok()) return url.error();
      spec.url = std::move(*url);
    }
    if (stage_.network) {
      auto url = stage_.network->url_of(static_cast<int>(client));
      if (!url.ok()) return url.error();
      spec.url = stage_.impatient ? stage_.impatient(std::move(*url)) : std::move(*url);
    }
    auto session = guarded([&] { return driver_->open(spec); });
    if (session.ok() && !*session)
      return Error{ErrorCode::internal, "the driver opened a null session"};
    return session;
  }

  // --- what faults may do ---

  Result<ClientProcess*> process_of(int client) override {
    if (const Status there = revive(client); !there.ok()) return there.error();
    const std::lock_guard lock(people_mutex_);
    return sessions_[static_cast<std::size_t>(client)]->process();
  }

  void doom(int client) override {
    const std::lock_guard lock(people_mutex_);
    if (auto& session = sessions_[static_cast<std::size_t>(client)]) session->abandon();
  }

  void lose(int client) override {
    const std::lock_guard lock(people_mutex_);
    Person& person = people_[static_cast<std::size_t>(client)];
    if (person.is_calling)
      person.is_dead = true;
    else
      sessions_[static_cast<std::size_t>(client)].reset();
  }

  // Who died and comes back while something is wrong may find the store closed.
  bool is_turned_away(const Error& error) const {
    return error.code == ErrorCode::unavailable && faults_.is_any_going();
  }

  // Its session is there until end_call.
  Result<Session*> begin_call(int client) {
    const auto at = static_cast<std::size_t>(client);
    for (;;) {
      if (const Status there = revive(client); !there.ok()) return there.error();
      const std::lock_guard lock(people_mutex_);
      if (!sessions_[at]) continue;  // it died again at once
      people_[at].is_calling = true;
      return sessions_[at].get();
    }
  }

  void end_call(int client) {
    const std::lock_guard lock(people_mutex_);
    Person& person = people_[static_cast<std::size_t>(client)];
    person.is_calling = false;
    if (std::exchange(person.is_dead, false)) sessions_[static_cast<std::size_t>(client)].reset();
    people_changed_.notify_all();
  }

  void stall(int client, bool is_stalled) override {
    const std::lock_guard lock(people_mutex_);
    people_[static_cast<std::size_t>(client)].is_stalled = is_stalled;
    people_changed_.notify_all();
  }

  bool is_stalled(int client) {
    const std::lock_guard lock(people_mutex_);
    return people_[static_cast<std::size_t>(client)].is_stalled;
  }

  // Among others who move, it stands still; whoever let it stand lets it go on. When nothing more
  // befalls anybody in the round, nobody will: its steps are passed over.
  void await_its_turn(int client) {
    std::unique_lock lock(people_mutex_);
    const Person& person = people_[static_cast<std::size_t>(client)];
    people_changed_.wait(lock, [&] { return !person.is_stalled || broken_ || !world_moves_; });
  }

  Status skew(int client, Duration offset, double drift) override {
    if (!by_caller())
      return unsupported("calls do not bring their own clock: the store lives by its own");
    const std::lock_guard lock(mutex_);
    Person& person = people_[static_cast<std::size_t>(client)];
    person.offset = offset;
    person.drift = drift;
    person.since = now_;
    if (offset.count() == 0 && drift == 0) person.skewed_calls = 0;
    return Done{};
  }
  std::uint64_t skewed_calls(int client) override {
    const std::lock_guard lock(mutex_);
    return people_[static_cast<std::size_t>(client)].skewed_calls;
  }

  Status kill_at(int client, const Cut& cut) override {
    if (!stage_.store) return unsupported("its requests to the store cannot be seen");
    const auto process = process_of(client);
    if (!process.ok()) return process.error();
    if (!*process) return unsupported("it has no process of its own");
    const std::lock_guard lock(people_mutex_);
    people_[static_cast<std::size_t>(client)].trap = cut;
    people_[static_cast<std::size_t>(client)].killed.reset();
    return Done{};
  }

  std::optional<std::string> killed_at(int client) override {
    const std::lock_guard lock(people_mutex_);
    return people_[static_cast<std::size_t>(client)].killed;
  }

  void spare(int client) override {
    const std::lock_guard lock(people_mutex_);
    people_[static_cast<std::size_t>(client)].trap.reset();
  }

  std::optional<Cut> trap_of(int client) {
    const std::lock_guard lock(people_mutex_);
    return people_[static_cast<std::size_t>(client)].trap;
  }

  // In the middle of a call, of what it was in for.
  void it_died(int client) {
    constexpr double patience_seconds = 10;
    doom(client);
    const auto at = static_cast<std::size_t>(client);
    const auto ending = sessions_[at]->process()->ending(patience_seconds);
    const std::lock_guard lock(people_mutex_);
    people_[at].killed = ending.value_or("was sent signal 9 and went on living");
    people_[at].trap.reset();
    people_[at].is_dead = true;
  }

  Result<ProcessClock*> clock_of(int client) override {
    if (const auto process = process_of(client); !process.ok() || !*process)
      return process.ok() ? unsupported("it has no process of its own") : process.error();
    const auto clock = clocks_.find(client);
    if (clock == clocks_.end()) return unsupported("its process lives by the machine's clock");
    return clock->second.get();
  }

  // A clock of its own for whoever a fault of the plan wants one.
  Status add_clock(int client, SessionSpec& spec) {
    const bool is_wanted = std::ranges::any_of(plan_.steps, [&](const Step& step) {
      if (!step.fault || !(step.fault->everybody || step.client == client)) return false;
      const auto info = find_fault(stage_.faults, *step.fault);
      return info.ok() && (*info)->needs_process_clock;
    });
    if (!is_wanted || stage_.scratch.empty()) return Done{};
    if (!clocks_.contains(client)) {
      auto made = ProcessClock::make(stage_.scratch);
      if (!made.ok()) return made.error();
      clocks_[client] = std::move(*made);
    }
    spec.environment = clocks_[client]->environment();
    return Done{};
  }

  int clients() const override { return static_cast<int>(plan_.clients.size()); }
  Result<Backend*> store() override {
    if (stage_.has_foreign_server)
      return unsupported("the store has a server that we did not start");
    return stage_.backend;
  }
  Result<Disk*> disk() override {
    if (stage_.disk) return stage_.disk;
    return unsupported(stage_.why_no_disk.empty() ? "the store's data are on no disk of ours"
                                                  : stage_.why_no_disk);
  }

  Result<Line> line_of(int client) override {
    if (!stage_.network)
      return unsupported("the clients have no lines of their own to a store that we could spoil");
    return Line{&stage_.network->lines(), Network::line_of(client)};
  }

  // Connections that the store has dropped are noticed when they are used.
  Status store_is_back() override {
    constexpr int tries = 5;
    if (!stage_.backend)
      if (const Status again = guarded([&] { return driver_->reopen(); }); !again.ok())
        return again;
    if (by_caller() || in_real_time()) return Done{};
    Result<Instant> now = guarded([&] { return driver_->now(); });
    for (int i = 1; i < tries && !now.ok(); ++i) now = guarded([&] { return driver_->now(); });
    if (now.ok() && *now < now_) now = guarded([&] { return driver_->advance(now_ - *now); });
    if (!now.ok()) return now.error();
    return Done{};
  }

  // Who died begins anew, once the call is over that it died in. Opening may pass gates: no lock is
  // held meanwhile.
  Status revive(int client) {
    constexpr std::chrono::seconds patience{30};
    auto& session = sessions_[static_cast<std::size_t>(client)];
    const Person& person = people_[static_cast<std::size_t>(client)];
    {
      std::unique_lock lock(people_mutex_);
      if (!people_changed_.wait_for(lock, patience, [&] { return !person.is_dead; }))
        return Error{ErrorCode::unavailable, "the client is dead, and its call has not ended"};
      if (session) return Done{};
      door_.wait(lock, [&] { return !shut_by_ || *shut_by_ == std::this_thread::get_id(); });
      if (session) return Done{};
      ++returning_;
    }
    auto opened = open_session(static_cast<std::size_t>(client));
    const std::lock_guard lock(people_mutex_);
    --returning_;
    door_.notify_all();
    if (!opened.ok()) return opened.error();
    if (!session) session = std::move(*opened);
    return Done{};
  }

  void let_return(bool may) override {
    std::unique_lock lock(people_mutex_);
    shut_by_ = may ? std::nullopt : std::optional(std::this_thread::get_id());
    door_.notify_all();
    if (!may) door_.wait(lock, [&] { return returning_ == 0; });
  }

  void tell(FaultEvent event) {
    if (stage_.on_fault) stage_.on_fault(event);
    const std::lock_guard lock(mutex_);
    result_.history.events.emplace_back(std::move(event));
  }

  // Whoever is recorded as calling is to be met in its call, not on the way there.
  void let_calls_begin() {
    constexpr int tries = 200;
    for (int i = 0; i < tries; ++i) {
      std::size_t recorded = 0;
      {
        const std::lock_guard lock(mutex_);
        recorded = open_.size();
      }
      {
        const std::lock_guard lock(people_mutex_);
        const auto calling = std::ranges::count_if(people_, &Person::is_calling);
        if (static_cast<std::size_t>(calling) >= recorded) return;
      }
      ::poll(nullptr, 0, 1);
    }
  }

  bool befall(const Step& step) {
    if (step.kind == StepKind::end_fault) {
      faults_.end(step.slot);
      return true;
    }
    if (!is_scheduled()) let_calls_begin();
    std::vector<OpId> in_flight;
    {
      const std::lock_guard lock(mutex_);
      in_flight = open_;
    }
    return faults_.begin(step, std::move(in_flight));
  }

  bool of_the_world(const Step& step) {
    return step.kind == StepKind::advance ? advance(*step.when) : befall(step);
  }

  // The clock that this client believes in.
  Instant now_of(int client) {
    Person& person = people_[static_cast<std::size_t>(client)];
    if (person.offset.count() == 0 && person.drift == 0) return now();
    ++person.skewed_calls;
    const auto passed = static_cast<double>((now_ - person.since).count());
    return now() + person.offset + Duration{static_cast<std::int64_t>(passed * person.drift)};
  }

  // What an interruption left behind. False: the run cannot go on.
  bool go_on_with(const Result<Driver*>& driver) {
    if (!driver.ok()) return trouble(driver.error());
    if (!*driver) return true;
    sessions_.clear();
    driver_ = *driver;
    return set_clock() && open_sessions();
  }

  void count_steps() {
    if (stage_.counts) result_.gates_of_step.resize(plan_.steps.size());
    if (stage_.store) stage_.store->take_trips();
    steps();
    if (stage_.store) result_.trips = stage_.store->take_trips();
  }

  void steps() {
    for (std::size_t i = 0; i < plan_.steps.size();) {
      const std::size_t end = interruptions_ ? i : round_until(i);
      if (interruptions_ && !go_on_with(interruptions_->before_step(i))) return;
      if (!(end > i ? round(i, end) : one(i))) return;
      i = std::max(end, i + 1);
    }
  }

  // Where nobody says who comes first, time stands still while clients move.
  std::size_t round_until(std::size_t from) const {
    std::size_t end = free_until(plan_, from);
    if (is_scheduled()) return end;
    for (std::size_t i = from; i < end; ++i)
      if (plan_.steps[i].kind == StepKind::advance) end = i;
    return end;
  }

  bool is_scheduled() const { return plan_.schedule && !in_real_time(); }

  bool round(std::size_t from, std::size_t to) {
    return is_scheduled() ? by_schedule(from, to) : at_once(from, to);
  }

  bool one(std::size_t index) {
    const Step& step = plan_.steps[index];
    return is_of_the_world(step.kind) ? of_the_world(step) : call(step, index);
  }

  // Each client makes its steps on a thread of its own. Nobody's first call is made before
  // everybody's is recorded, so that those overlap, and meet in the driver as closely as they can.
  bool at_once(std::size_t from, std::size_t to) {
    std::map<int, std::vector<std::size_t>> by_client;
    for (std::size_t i = from; i < to; ++i) by_client[mover_of(plan_.steps[i])].push_back(i);
    std::latch start(static_cast<std::ptrdiff_t>(by_client.size()));
    detail::Pace pace;
    const int world = static_cast<int>(plan_.clients.size());
    let_world_move(by_client.contains(world));
    const auto work = [&](const std::vector<std::size_t>& mine) {
      bool waited = false;
      for (const std::size_t index : mine) {
        const auto ready = [&] {
          if (!std::exchange(waited, true)) start.arrive_and_wait();
        };
        const Step& step = plan_.steps[index];
        const bool is_worlds = is_of_the_world(step.kind);
        if (is_worlds) {
          ready();
          pace.await(calls_between(from, index));
        } else {
          await_its_turn(step.client);
        }
        if (broken_ || !(is_worlds ? of_the_world(step) : call(step, index, ready))) {
          // Who waits for the end of a fault would wait for ever.
          if (is_worlds) faults_.end_all();
          break;
        }
        if (!is_worlds) pace.step();
      }
      if (!waited) start.count_down();
      if (is_of_the_world(plan_.steps[mine.front()].kind)) let_world_move(false);
    };
    {
      std::vector<std::jthread> others;
      for (const auto& [client, mine] : by_client)
        if (client != by_client.begin()->first)
          others.emplace_back([&work, &mine = mine] { work(mine); });
      work(by_client.begin()->second);
    }
    return !broken_;
  }

  void let_world_move(bool moves) {
    const std::lock_guard lock(people_mutex_);
    world_moves_ = moves;
    people_changed_.notify_all();
  }

  std::size_t calls_between(std::size_t from, std::size_t to) const {
    return static_cast<std::size_t>(
        std::count_if(plan_.steps.begin() + static_cast<std::ptrdiff_t>(from),
                      plan_.steps.begin() + static_cast<std::ptrdiff_t>(to),
                      [](const Step& step) { return !is_of_the_world(step.kind); }));
  }

  // Each client makes its steps when the strategy says so; the clock is one more of them.
  bool by_schedule(std::size_t from, std::size_t to) {
    std::map<int, std::vector<std::size_t>> by_mover;
    for (std::size_t i = from; i < to; ++i) by_mover[mover_of(plan_.steps[i])].push_back(i);
    if (!begun_) {
      begun_ = true;
      if (!stage_.strategy) stage_.strategy = (drawn_ = strategy_for(*plan_.schedule)).get();
      if (!stage_.carrier) stage_.carrier = (threads_ = thread_carrier()).get();
    } else {
      stage_.strategy->next_round();
      result_.moves.push_back(Schedule::next_round);
    }
    std::vector<int> movers;
    std::vector<std::function<void()>> bodies;
    for (const auto& [mover, mine] : by_mover) {
      movers.push_back(mover);
      bodies.push_back([self = shared_from_this(), mine] { self->moves_of(mine); });
    }
    Renumbered strategy(*stage_.strategy, movers);
    tell_of(stage_.carrier->run(std::move(bodies), strategy, movers), movers);
    return !broken_;
  }

  int mover_of(const Step& step) const {
    return is_of_the_world(step.kind) ? static_cast<int>(plan_.clients.size()) : step.client;
  }

  void moves_of(const std::vector<std::size_t>& mine) {
    Gates& gates = stage_.carrier->gates();
    for (const std::size_t index : mine) {
      if (index != mine.front()) gates.pass("call");
      const Step& step = plan_.steps[index];
      const auto deliver = [&] {
        if (stage_.interleaving == Interleaving::calls) gates.pass("delivery");
      };
      if (broken_) return;
      if (!(is_of_the_world(step.kind) ? of_the_world(step) : call(step, index, deliver))) return;
    }
  }

  void tell_of(const Explored& explored, const std::vector<int>& movers) {
    const auto of = [&](int number) { return movers[static_cast<std::size_t>(number)]; };
    for (const int number : explored.moves) result_.moves.push_back(of(number));
    result_.lost_sight = result_.lost_sight || explored.lost_sight;
    std::vector<std::string> waiting;
    for (const auto& [number, for_what] : explored.deadlock)
      waiting.push_back(fmt::format("{} waits for {}", name_of_mover(of(number)), for_what));
    if (!waiting.empty())
      trouble({ErrorCode::internal,
               fmt::format("a deadlock in the driver: {}", fmt::join(waiting, ", "))});
    std::vector<std::string> hung;
    for (const int number : explored.hung) hung.push_back(name_of_mover(of(number)));
    result_.hung = !hung.empty();
    if (result_.hung)
      trouble({ErrorCode::internal,
               fmt::format("{} never came back from a call", fmt::join(hung, ", "))});
  }

  std::string name_of_mover(int mover) const {
    const auto at = static_cast<std::size_t>(mover);
    return at < plan_.clients.size() ? plan_.clients[at].name : "the clock";
  }

  // Time is ours: a store that lost it gets it back, so that what is judged is what it did with
  // its jobs.
  bool set_clock() {
    if (in_real_time()) return compare_clocks();
    if (by_caller()) return true;
    const auto now = guarded([&] { return driver_->now(); });
    if (!now.ok()) return trouble(now.error());
    if (*now == now_) return true;
    const auto moved = guarded([&] { return driver_->advance(now_ - *now); });
    return moved.ok() ? true : trouble(moved.error());
  }

  // Moves the clock, the store's too where leases are judged by it. False: the run cannot go on.
  bool advance(const When& when) {
    const auto meant = references_.instant(when, now());
    if (!meant) return true;
    const Instant target = std::min(*meant, end_of_time);
    if (target <= now()) return true;
    if (in_real_time()) return wait_for(target);
    if (!by_caller()) {
      const auto moved = guarded([&] { return driver_->advance(target - now_); });
      // A store that takes no writes cannot be told that time passes: none does.
      if (!moved.ok() && is_turned_away(moved.error()) && is_definite(moved.error())) return true;
      if (!moved.ok()) return trouble(moved.error());
      if (*moved != target)
        return trouble({ErrorCode::internal,
                        fmt::format("the driver's clock was to move to {} ms and shows {} ms",
                                    to_ms(target), to_ms(*moved))});
    }
    const std::lock_guard lock(mutex_);
    now_ = target;
    result_.history.events.push_back(ClockEvent{now_});
    return true;
  }

  bool wait_for(Instant target) {
    store_clock_.sleep_until(std::min(target, store_clock_.earliest() + longest_wait));
    if (!compare_clocks()) return false;
    result_.history.events.push_back(ClockEvent{now()});
    return true;
  }

  // What was concluded from instants is worth nothing where the store's clock ran by itself.
  void stood_still() {
    const auto now = guarded([&] { return driver_->now(); });
    if (!now.ok())
      trouble(now.error());
    else if (*now != now_)
      trouble(
          {ErrorCode::internal,
           fmt::format("the driver's clock moved by itself, from {} ms to {} ms: one that claims "
                       "virtual_time moves only when it is told to",
                       to_ms(now_), to_ms(*now))});
  }

  // False: the driver broke, and the run cannot go on. `ready` is called between the record of the
  // call and the call itself.
  template <class Ready>
  bool call(const Step& step, std::size_t index, Ready ready) {
    std::optional<Request> request;
    OpId op = 0;
    Instant began;
    if (is_stalled(step.client)) return true;
    {
      const std::lock_guard lock(mutex_);
      began = now_of(step.client);
      request = references_.request(step, began);
      if (!request) return true;
      op = record(step, index, began, *request);
    }
    ready();
    if (stage_.before_call) stage_.before_call(op);
    const auto client = static_cast<std::size_t>(step.client);
    auto session = begin_call(step.client);
    // A call that was never made had no effect.
    const bool is_away = !session.ok() && is_turned_away(session.error());
    if (is_away)
      session = Error{ErrorCode::unavailable, session.error().message, LeaseReason::unstated, true};
    const std::optional<Cut> trap = trap_of(step.client);
    const std::optional<Cut>& cut = step.cut ? step.cut : trap;
    auto answer = !session.ok() ? Result<Response>(session.error())
                  : stage_.counts || cut
                      ? counted(step, index, began, *request, cut, !!trap)
                      : guarded([&] { return perform(**session, began, *request); });
    end_call(step.client);
    std::optional<Instant> ended =
        in_real_time() ? std::optional(store_clock_.latest()) : std::nullopt;
    const std::lock_guard lock(mutex_);
    if (!session.ok() && !is_away) trouble(session.error());
    if (!in_real_time() && !by_caller() && now_ != began) ended = now_;  // it moved meanwhile
    if (step.kind == StepKind::close) closed_[client] = true;
    references_.learn(step, *request, answer.ok() ? &*answer : nullptr, began);
    return close(op, std::move(answer), ended);
  }
  bool call(const Step& step, std::size_t index) {
    return call(step, index, [] {});
  }

  // A call whose gates are counted, and whose client may be cut off, or die, at one of them.
  Result<Response> counted(const Step& step, std::size_t index, Instant now, const Request& request,
                           const std::optional<Cut>& cut, bool dies) {
    const auto client = static_cast<std::size_t>(step.client);
    const bool is_closing = step.kind == StepKind::close;
    const auto make = [&] {
      return guarded([&] { return perform(*sessions_[client], now, request); });
    };
    const Error cut_off{ErrorCode::unavailable, "the client was cut off before it had an answer"};
    CallCuts::Ended ended{1, cut.has_value(), cut.has_value()};
    const bool is_never_made = !stage_.cuts && cut && cut->where == CutPoint::before_delivery;
    std::function<void()> on_cut;
    if (dies)
      on_cut = [pid = sessions_[client]->process()->pid()] {
        static_cast<void>(::kill(pid, SIGKILL));
      };
    if (stage_.cuts) stage_.cuts->begin_call(step.client, cut, std::move(on_cut));
    Result<Response> answer = is_never_made ? Result<Response>(cut_off) : make();
    if (stage_.cuts) ended = stage_.cuts->end_call(step.client);
    if (dies && ended.was_cut) it_died(step.client);
    const std::lock_guard lock(mutex_);
    if (stage_.counts) result_.gates_of_step[index] = ended.gates;
    result_.cuts += ended.was_cut && !dies ? 1 : 0;
    if (ended.loses_answer && !is_closing) return cut_off;
    return answer;
  }

  OpId record(const Step& step, std::size_t index, Instant now, const Request& request) {
    const OpId op = result_.step_of_op.size();
    result_.step_of_op.push_back(index);
    open_.push_back(op);
    auto& called = result_.history.events.emplace_back(std::in_place_type<CallEvent>, op,
                                                       step.client, now, request);
    if (auto* enqueue = std::get_if<Enqueue>(&std::get<CallEvent>(called).request))
      compact(enqueue->job.payload);
    return op;
  }

  bool close(OpId op, Result<Response> answer, std::optional<Instant> now) {
    std::erase(open_, op);
    auto& events = result_.history.events;
    if (answer.ok()) {
      compact(*answer);
      events.emplace_back(std::in_place_type<ReturnEvent>, op, OutcomeKind::ok, std::move(*answer),
                          Error{}, now);
      return true;
    }
    const bool failed = interruptions_ && (answer.error().code == ErrorCode::unavailable ||
                                           answer.error().code == ErrorCode::internal);
    const auto outcome =
        is_definite(answer.error()) && !failed ? OutcomeKind::refused : OutcomeKind::unknown;
    events.emplace_back(std::in_place_type<ReturnEvent>, op, outcome, Done{}, answer.error(), now);
    if (failed) return go_on_with(interruptions_->after_failure(answer.error()));
    if (const auto whole = driver_->health(); !whole.ok()) return trouble(whole.error());
    return true;
  }

  void close() {
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      if (!sessions_[i] || (i < closed_.size() && closed_[i])) continue;
      if (const auto done = guarded([&] { return sessions_[i]->close(); }); !done.ok())
        trouble(done.error());
    }
    sessions_.clear();
  }

  const std::optional<Plan> own_;
  const Plan& plan_;
  Driver* driver_;
  Stage stage_;
  const Interruptions* interruptions_;
  RunResult result_;
  detail::References references_;
  Instant now_ = run_epoch;         // where time is ours
  detail::StoreClock store_clock_;  // where it is not
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<bool> closed_;
  std::map<int, std::unique_ptr<ProcessClock>> clocks_;  // of clients' processes
  struct Person {
    bool is_calling = false;            // by people_mutex_
    bool is_dead = false;               // and its call has not ended; by people_mutex_
    bool is_stalled = false;            // by people_mutex_
    std::optional<Cut> trap;            // likewise: it is to die there
    std::optional<std::string> killed;  // likewise: how it did
    Duration offset{0};                 // of its clock
    double drift = 0;
    Instant since = {};
    std::uint64_t skewed_calls = 0;
  };
  std::vector<Person> people_;              // by client
  std::mutex people_mutex_;                 // of sessions, while clients move and die
  std::condition_variable people_changed_;  // somebody's call ended, or he may go on
  bool world_moves_ = false;                // in the round that is on
  std::condition_variable door_;            // for those who come back:
  std::optional<std::thread::id> shut_by_;
  int returning_ = 0;       // so many are in it
  std::vector<OpId> open_;  // calls under way
  // Of the history, the references, the time, the first trouble, and of who has a wrong clock,
  // while clients move at once.
  std::mutex mutex_;
  std::atomic<bool> broken_ = false;
  bool begun_ = false;                // the first round with a schedule
  std::unique_ptr<Carrier> threads_;  // where nobody gave us a carrier,
  std::unique_ptr<Strategy> drawn_;   // or a strategy
  detail::FaultWork faults_;
};

}  // namespace

bool repeats_exactly(const Plan& plan, const Profile& profile) {
  return (!is_free(plan) || plan.schedule) && !profile.in_real_time();
}

RunResult run(const Plan& plan, Driver& driver, const std::string& driver_name,
              const Stage& stage) {
  return std::make_shared<Runner>(plan, driver, driver_name, stage)->run();
}

RunResult run_interrupted(const Plan& plan, Driver& driver, const std::string& driver_name,
                          const Interruptions& interruptions) {
  return std::make_shared<Runner>(plan, driver, driver_name, Stage{}, &interruptions)->run();
}

}  // namespace assay
