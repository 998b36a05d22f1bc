#include "harness/judge/detail/hooks.h"

namespace assay::judging {

Hooks::Hooks(std::span<const Property> properties) {
  for (const Property& property : properties) {
    for (std::size_t call = 0; property.operation && call <= calls; ++call) {
      const unsigned bits = call == calls ? missed_reserve | calls_of<Reserve> : 1U << call;
      if (property.calls & bits) on_call_[call].push_back(property.operation);
      if (property.odd_calls & bits) on_odd_call_[call].push_back(property.operation);
    }
    if (property.hold) add_hold(property);
    if (property.delivery) on_delivery_.push_back(property.delivery);
    if (property.delivery && property.first_runs) on_first_run_.push_back(property.delivery);
    if (property.sighting) on_sighting_.push_back(property.sighting);
  }
}

void Hooks::add_hold(const Property& property) {
  for (std::size_t kind = 0; kind < changes; ++kind)
    for (std::size_t standing = 0; standing < standings; ++standing)
      if (!property.holds ||
          property.holds(static_cast<Change>(kind), static_cast<Standing>(standing)))
        on_hold_[kind][standing].push_back(property.hold);
}

}  // namespace assay::judging
