#include "properties/all.h"

#include "properties/families.h"

namespace assay {

std::span<const Property> all_properties() {
  static const Property all[] = {
      properties::enqueue(),     properties::schedule(),     properties::claim(),
      properties::lease(),       properties::fence(),        properties::heartbeat(),
      properties::ack(),         properties::retry(),        properties::backoff(),
      properties::dead_letter(), properties::state(),        properties::idempotency(),
      properties::order(),       properties::error(),        properties::admin(),
      properties::cancel(),      properties::pause(),        properties::delivery(),
      properties::argument(),    properties::clock(),        properties::closing(),
      properties::durability(),  properties::execution(),    properties::time_limit(),
      properties::worker(),      properties::batch(),        properties::fairness(),
      properties::limit(),       properties::availability(), properties::output(),
      properties::flow(),        properties::outbox(),       properties::reaper(),
      properties::wakeup(),      properties::recurring(),    properties::caller(),
  };
  return all;
}

}  // namespace assay
