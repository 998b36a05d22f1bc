#include "engine/detail/steward.h"

#include "engine/detail/flow_moves.h"

namespace assay::engine::detail {

HandlerResult run_errand(Desk& desk) {
  const auto member = member_of(desk.run().claim.job);
  if (!member || member->errand.empty()) return Failure{"nobody knows this errand", true};
  std::vector<Happening> told;
  const Status done = desk.call_on([&](Session& session) -> Status {
    const auto records = records_of(session);
    if (!records.ok()) return records.error();
    FlowMoves moves(**records, desk.floor().clock, told);
    if (member->errand == "launch") return moves.launch(member->flow, member->path);
    if (member->errand == "skip") return moves.skip(member->flow, member->path);
    return invalid("nobody knows this errand");
  });
  for (Happening& what : told) desk.tell(std::move(what));
  if (!done.ok()) return Failure{done.error().message};
  return Success{};
}

}  // namespace assay::engine::detail
