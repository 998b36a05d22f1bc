// rows_are_forgotten_at_a_restart: a dispatcher does not look at rows that are older than itself.
#include <set>

#include "engine/mutants/all.h"

namespace assay::engine::mutants {

namespace {

struct Older {
  bool is_known = false;
  std::set<std::string> keys;
};

}  // namespace

EngineInfo rows_are_forgotten_at_a_restart() {
  return mutant("rows_are_forgotten_at_a_restart", {"OUTBOX-3"},
                "a dispatcher does not look at rows that are older than itself", [] {
                  Alterations altered;
                  altered.driver.scan = [older = std::make_shared<Older>()](
                                            const SessionSpec&, Instant now, const Scan& scan,
                                            const Interception::NextScan& next) {
                    auto page = next(now, scan);
                    if (!page.ok()) return page;
                    if (!std::exchange(older->is_known, true))
                      for (const Record& record : page->records) older->keys.insert(record.key);
                    std::erase_if(page->records, [&](const Record& record) {
                      return older->keys.contains(record.key);
                    });
                    return page;
                  };
                  return altered;
                });
}

}  // namespace assay::engine::mutants
