#include "harness/run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <map>
#include <memory>
#include <mutex>

#include "harness/backend/disk.h"
#include "harness/contract/random.h"
#include "harness/plan/brief.h"
#include "harness/run/detail/compact.h"
#include "harness/run/detail/fault_work.h"
#include "harness/run/detail/guarded.h"
#include "harness/run/detail/pace.h"
#include "harness/run/detail/patience.h"
#include "harness/run/detail/people.h"
#include "harness/run/detail/references.h"
#include "harness/run/detail/store_clock.h"
#include "harness/run/detail/threads.h"
#include "harness/run/engine_processes.h"

namespace assay {
namespace {

using detail::compact;
using detail::guarded;

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

class Runner : public std::enable_shared_from_this<Runner>, private detail::Times {
 public:
  Runner(const Plan& plan, Driver& driver, const std::string& driver_name, const Stage& stage,
         const Interruptions* interruptions = nullptr)
      : own_(own_plan(plan, driver.profile())),
        plan_(own_ ? *own_ : plan),
        driver_(&driver),
        stage_(stage),
        interruptions_(interruptions),
        references_(plan_, result_.history.profile),
        people_(plan_, stage_, result_.history.profile, *this,
                [this] { return faults_.has_any_begun(); }),
        faults_(stage.faults, people_, stage.journal,
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
    if (const Status closed = people_.close(); !closed.ok()) trouble(closed.error());
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
    people_.forget();
    return std::move(result_);
  }

  // Whatever was made to go wrong is put right.
  void heal() {
    faults_.end_all();
    if (faults_.not_back()) trouble(*faults_.not_back());
    result_.faults = faults_.records();
    for (const FaultRecord& fault : result_.faults)
      if (fault.is_void() && !result_.void_because)
        result_.void_because = fmt::format("{}: {}", fault.fault, fault.why_not);
  }

  // The first trouble is the one that is told.
  bool trouble(const Error& error) {
    if (!result_.trouble) result_.trouble = error;
    broken_ = true;
    people_.give_up();
    return false;
  }

  RunResult in_trouble(const Error& error) {
    trouble(error);
    return std::move(result_);
  }

  Instant present() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void stepped_to(Instant now) override {
    const std::lock_guard lock(mutex_);
    now_ = now;
    result_.history.events.push_back(ClockEvent{now_});
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
    return open_sessions();
  }

  bool open_sessions() {
    const Status opened = people_.open(*driver_);
    return opened.ok() ? true : trouble(opened.error());
  }

  // Who died and comes back while something is wrong may find the store closed.
  bool is_turned_away(const Error& error) const {
    return error.code == ErrorCode::unavailable && faults_.is_any_going();
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
      if (people_.calling() >= recorded) return;
      ::poll(nullptr, 0, 1);
    }
  }

  bool befall(const Step& step) {
    if (step.kind == StepKind::end_fault) {
      faults_.end(step.slot);
      return !faults_.not_back() || trouble(*faults_.not_back());
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

  // What an interruption left behind. False: the run cannot go on.
  bool go_on_with(const Result<Driver*>& driver) {
    if (!driver.ok()) return trouble(driver.error());
    if (!*driver) return true;
    people_.forget();
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
    if (is_of_the_world(step.kind)) return of_the_world(step);
    return people_.is_stalled(step.client) || call(step, index);
  }

  // Each client makes its steps on a thread of its own. Nobody's first call is made before
  // everybody's is recorded, so that those overlap, and meet in the driver as closely as they can.
  bool at_once(std::size_t from, std::size_t to) {
    std::map<int, std::vector<std::size_t>> by_client;
    for (std::size_t i = from; i < to; ++i) by_client[mover_of(plan_.steps[i])].push_back(i);
    Crowd crowd(from, by_client.size());
    const auto world = by_client.find(static_cast<int>(plan_.clients.size()));
    people_.let_world_move(world != by_client.end());
    if (world != by_client.end()) crowd.pace.world_is_at(world->second.front());
    std::vector<std::function<void()>> bodies;
    for (auto mover = by_client.begin(); mover != by_client.end(); ++mover)
      bodies.push_back([this, &crowd, &mine = mover->second, is_world = mover == world] {
        is_world ? world_among(crowd, mine) : client_among(crowd, mine);
      });
    (stage_.threads ? *stage_.threads : own_threads_).run(bodies);
    return !broken_;
  }

  struct Crowd {
    Crowd(std::size_t first, std::size_t movers)
        : from(first), ahead(movers), start(static_cast<std::ptrdiff_t>(movers)) {}
    const std::size_t from;   // the first step
    const std::size_t ahead;  // so many steps a client may be before the world, in the plan's order
    std::latch start;
    detail::Pace pace;
  };

  void world_among(Crowd& crowd, const std::vector<std::size_t>& mine) {
    crowd.start.arrive_and_wait();
    for (const std::size_t index : mine) {
      crowd.pace.world_is_at(index);
      crowd.pace.await(calls_between(crowd.from, index));
      if (!broken_ && of_the_world(plan_.steps[index])) continue;
      faults_.end_all();  // who waits for the end of one would wait for ever
      break;
    }
    people_.let_world_move(false);
    crowd.pace.world_is_at(detail::Pace::never);
  }

  void client_among(Crowd& crowd, const std::vector<std::size_t>& mine) {
    bool waited = false;
    const auto ready = [&] {
      if (!std::exchange(waited, true)) crowd.start.arrive_and_wait();
    };
    for (const std::size_t index : mine) {
      if (waited && index > crowd.ahead) crowd.pace.await_world(index - crowd.ahead);
      if (!people_.await_its_turn(plan_.steps[index].client)) continue;
      if (broken_ || !call(plan_.steps[index], index, ready)) break;
      crowd.pace.step();
    }
    if (!waited) crowd.start.count_down();
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
      if (!is_of_the_world(step.kind) && people_.is_stalled(step.client)) continue;
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
    {
      const std::lock_guard lock(mutex_);
      began = people_.now_of(step.client, now());
      request = references_.request(step, began);
      if (!request) return true;
      op = record(step, index, began, *request);
    }
    ready();
    if (stage_.before_call) stage_.before_call(op);
    auto session = people_.begin_call(step.client);
    // A call that was never made had no effect.
    const bool is_away = !session.ok() && is_turned_away(session.error());
    if (is_away)
      session = Error{ErrorCode::unavailable, session.error().message, LeaseReason::unstated, true};
    const std::optional<Cut> trap = people_.trap_of(step.client);
    const std::optional<Cut>& cut = step.cut ? step.cut : trap;
    auto answer = !session.ok() ? Result<Response>(session.error())
                  : stage_.counts || cut
                      ? counted(**session, step, index, began, *request, cut, !!trap)
                      : guarded([&] { return perform(**session, began, *request); });
    people_.end_call(step.client);
    std::optional<Instant> ended =
        in_real_time() ? std::optional(store_clock_.latest()) : std::nullopt;
    const std::lock_guard lock(mutex_);
    if (!session.ok() && !is_away) trouble(session.error());
    if (!in_real_time() && !by_caller() && now_ != began) ended = now_;  // it moved meanwhile
    if (step.kind == StepKind::close) people_.closed(step.client);
    references_.learn(step, *request, answer.ok() ? &*answer : nullptr, began);
    if (!answer.ok() && session.ok() && people_.has_line(step.client))
      look_for_haste(answer.error());
    return close(op, std::move(answer), ended);
  }

  // Before anything was made to go wrong, only an impatient client on a slow machine goes without
  // an answer: what the run was for may not have happened.
  void look_for_haste(const Error& error) {
    if (error.code != ErrorCode::unavailable || !stage_.patience || faults_.has_any_begun() ||
        result_.was_too_hasty)
      return;
    result_.was_too_hasty = stage_.patience->grow();
  }

  bool call(const Step& step, std::size_t index) {
    return call(step, index, [] {});
  }

  // A call whose gates are counted, and whose client may be cut off, or die, at one of them.
  Result<Response> counted(Session& session, const Step& step, std::size_t index, Instant now,
                           const Request& request, const std::optional<Cut>& cut, bool dies) {
    const bool is_closing = step.kind == StepKind::close;
    const auto make = [&] { return guarded([&] { return perform(session, now, request); }); };
    const Error cut_off{ErrorCode::unavailable, "the client was cut off before it had an answer"};
    CallCuts::Ended ended{1, cut.has_value(), cut.has_value()};
    const bool is_never_made = !stage_.cuts && cut && cut->where == CutPoint::before_delivery;
    std::function<void()> on_cut;
    if (dies) {
      on_cut = [pid = session.process()->pid()] { static_cast<void>(::kill(pid, SIGKILL)); };
      const std::lock_guard lock(mutex_);
      ++dying_;
    }
    if (stage_.cuts) stage_.cuts->begin_call(step.client, cut, std::move(on_cut));
    Result<Response> answer = is_never_made ? Result<Response>(cut_off) : make();
    if (stage_.cuts) ended = stage_.cuts->end_call(step.client);
    if (dies && ended.was_cut) people_.it_died(step.client);
    const std::lock_guard lock(mutex_);
    dying_ -= dies ? 1 : 0;
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
    compact(std::get<CallEvent>(called).request);
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
    // Whom we kill breaks its connection before it is known to be dead; it asks when it is.
    if (dying_ > 0) return true;
    if (const auto whole = driver_->health(); !whole.ok()) return trouble(whole.error());
    return true;
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
  std::vector<OpId> open_;          // calls under way
  int dying_ = 0;                   // of them: so many in which a client is to be killed
  // Of the history, the references, the time and the first trouble, while clients move at once.
  std::mutex mutex_;
  std::atomic<bool> broken_ = false;
  bool begun_ = false;                // the first round with a schedule
  std::unique_ptr<Carrier> threads_;  // where nobody gave us a carrier,
  std::unique_ptr<Strategy> drawn_;   // or a strategy
  detail::People people_;
  detail::FaultWork faults_;
  detail::Threads own_threads_;  // where nobody gave us any
};

}  // namespace

bool repeats_exactly(const Plan& plan, const Profile& profile) {
  return (!is_free(plan) || plan.schedule) && !profile.in_real_time() && !is_in_processes(plan);
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
