#include "faults/store/detail/store_away.h"

#include "harness/backend/backend.h"

namespace assay::faults {

Status StoreAway::begin() {
  const auto store = around_.store();
  if (!store.ok()) return store.error();
  server_ = *store;
  auto stopped = server_ ? stop(*server_) : stop_openers();
  if (!stopped.ok()) return stopped.error();
  proof_ = std::move(stopped);
  return Done{};
}

Status StoreAway::end() {
  Backend* const server = std::exchange(server_, nullptr);
  if (!server) return Done{};
  if (const Status back = server->restart(); !back.ok()) return back;
  return around_.store_is_back();
}

FaultInfo store_away(std::string_view name, std::string_view summary, std::string_view needs,
                     Outage outage) {
  return {.name = name,
          .family = "store",
          .summary = summary,
          .effect = FaultEffect::store_away,
          .needs = needs,
          .drawn_from = Level::durability,
          .outage = outage};
}

}  // namespace assay::faults
