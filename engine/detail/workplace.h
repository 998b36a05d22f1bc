// Workplace: where one slot works: it takes a job, runs its handler, settles, and takes the next.
#pragma once

#include "engine/detail/flow_moves.h"
#include "engine/detail/intake.h"
#include "engine/detail/run_effects.h"
#include "engine/detail/settler.h"

namespace assay::engine::detail {

class Workplace {
 public:
  // All three are borrowed for life.
  Workplace(Floor& floor, Intake& intake, Settler& settler, int slot)
      : floor_(floor), intake_(intake), settler_(settler), slot_(slot) {}

  // Until the worker drains and its last job is settled, or it was left to itself.
  void work();

 private:
  // False: the worker ended without this slot, which touches nothing any more.
  bool carry_out(Run& run);
  std::optional<Hindrance> hindrance(Run& run);
  void do_not_run(Held& held, Run& run, Hindrance why);
  const HandlerSpec* spec_of(const Run& run) const;
  void begin(Run& run, const HandlerSpec* spec);
  HandlerResult handle(Run& run, const HandlerSpec* spec, RunEffects& effects, Desk& desk);
  void settle(Held& held, Run& run, const HandlerResult& result, RunEffects& effects);
  void settle_success(Held& held, Run& run, const Success& success, RunEffects& effects);
  void settle_failure(Held& held, Run& run, const Failure& failure);
  void settle_member_failure(Held& held, Run& run, const MemberName& member, const Failure& failure,
                             const FailureSettle& chosen);
  using Move = std::function<Status(Session&, FlowMoves&)>;
  void move_on(Held& held, Run& run, const Move& move);
  void put_back(Held& held, Run& run, SettleKind kind, Instant run_at);

  Floor& floor_;
  Intake& intake_;
  Settler& settler_;
  const int slot_;
};

}  // namespace assay::engine::detail
