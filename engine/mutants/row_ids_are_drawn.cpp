// row_ids_are_drawn: a row has another id each time that it is written.
#include "engine/mutants/all.h"
#include "engine/outbox.h"

namespace assay::engine::mutants {

EngineInfo row_ids_are_drawn() {
  return mutant(
      "row_ids_are_drawn", {"XOUT-1"}, "a row has another id each time that it is written", [] {
        Alterations altered;
        altered.driver.commit = [](const SessionSpec& spec, Instant now, const Commit& commit,
                                   const Interception::NextCommit& next) {
          Commit drawn = commit;
          for (Put& put : drawn.puts)
            if (put.if_version.value_or(0) == 0 && put.key.starts_with(outbox_prefix))
              put.key += " of " + spec.name + " at " + std::to_string(to_ms(now));
          return next(now, drawn);
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
