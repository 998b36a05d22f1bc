// Workplace: where one slot works: it takes a job, runs its handler, settles, and takes the next.
#pragma once

#include "engine/detail/intake.h"
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
  void begin(Run& run, const HandlerSpec& spec);
  void settle(Held& held, Run& run, const HandlerResult& result);
  void settle_failure(Held& held, Run& run, const Failure& failure);
  void put_back(Held& held, Run& run, SettleKind kind, Instant run_at);

  Floor& floor_;
  Intake& intake_;
  Settler& settler_;
  const int slot_;
};

}  // namespace assay::engine::detail
