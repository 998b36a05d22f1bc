// one_failing_row_blocks_all: rows behind one that fails wait until it does not.
#include <algorithm>

#include "engine/mutants/all.h"
#include "engine/outbox.h"

namespace assay::engine::mutants {

EngineInfo one_failing_row_blocks_all() {
  return mutant(
      "one_failing_row_blocks_all", {"OUTBOX-2"},
      "rows behind one that fails wait until it does not", [] {
        Alterations altered;
        altered.dispatcher = [](DispatcherOptions& options) { options.rows.runs = 10'000; };
        altered.driver.scan = [](const SessionSpec&, Instant now, const Scan& scan,
                                 const Interception::NextScan& next) {
          // From the first on, whatever was looked at before.
          auto page = next(now, {scan.prefix, {}, scan.limit});
          if (!page.ok()) return page;
          const auto fails = std::ranges::find_if(page->records, [](const Record& record) {
            const auto row = row_in(record);
            return row && row->tries > 0;
          });
          if (fails != page->records.end()) page->records.erase(fails + 1, page->records.end());
          page->more = false;
          return page;
        };
        return altered;
      });
}

}  // namespace assay::engine::mutants
