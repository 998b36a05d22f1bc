#include "engine/detail/sweeper.h"

#include "engine/detail/flow_desk.h"
#include "engine/detail/packed.h"

namespace assay::engine::detail {
namespace {

constexpr const char* turn_key = "flow-sweep";  // when it was last done

// What a sweep does, the worker tells.
class Teller final : public Observer {
 public:
  explicit Teller(Floor& floor) : floor_(floor) {}
  void see(const Event& event) override {
    const Held held(*floor_.monitor);
    floor_.tell(-1, event.delivery, event.what);
  }

 private:
  Floor& floor_;
};

FlowsOptions options_of(const Floor& floor, Observer& teller) {
  FlowsOptions options;
  options.name = floor.options.name + "/sweeper";
  options.seed = floor.options.seed;
  options.observer = &teller;
  return options;
}

// Whether the turn is this one's. A time in the future is that of a clock that was wrong.
Result<bool> takes_turn(FlowDesk& desk, Duration every) {
  return desk.ask([&](Session&, Records& records, FlowMoves&) -> Result<bool> {
    const Instant now = desk.clock.now();
    const auto last = records.read(now, turn_key);
    if (!last.ok()) return last.error();
    if (*last) {
      Unpacker in((*last)->value);
      const Instant at = instant_from_ms(in.number());
      if (!in.is_bad() && at <= now && now < later(at, every)) return false;
    }
    Commit commit;
    commit.puts.push_back(
        {turn_key, Packer().add(to_ms(now)).take(), *last ? (*last)->version : 0});
    const auto done = records.commit(now, commit);
    if (!done.ok() && is_conflict(done.error())) return false;
    if (!done.ok()) return done.error();
    return true;
  });
}

}  // namespace

void sweep_now_and_then(Floor& floor, Runtime& runtime, const std::stop_token& stop) {
  const Duration every = *floor.options.sweep_every;
  Teller teller(floor);
  FlowDesk desk(runtime, floor.driver, options_of(floor, teller));
  desk.stop = stop;
  while (!stop.stop_requested()) {
    // Not all at the same moment.
    const Duration spread = every / 2;
    const auto drawn = desk.random.below(static_cast<std::uint64_t>(spread.count()) + 1);
    floor.clock.sleep_until(
        later(floor.now(), every - spread + Duration{static_cast<std::int64_t>(drawn)}), stop);
    if (stop.stop_requested()) return;
    const auto turn = takes_turn(desk, every);
    if (!turn.ok() && turn.error().code == ErrorCode::unsupported) return;
    // What fails now is done the next time.
    if (turn.ok() && *turn) static_cast<void>(sweep_flows(desk, std::nullopt));
  }
}

}  // namespace assay::engine::detail
