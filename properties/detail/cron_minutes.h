// CronMinutes: which minutes a cron expression of five fields means, read anew here: a judge that
// asked the engine would believe whatever that thinks.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/contract/time.h"

namespace assay::properties {

class CronMinutes {
 public:
  static std::optional<CronMinutes> read(const std::string& text);

  bool fits(Instant minute) const;
  // Those later than `from`, up to `to`.
  std::vector<Instant> between(Instant from, Instant to) const;

 private:
  std::set<int> minutes_, hours_, days_, months_, weekdays_;
  bool any_day_ = true, any_weekday_ = true;  // begins with a star
};

}  // namespace assay::properties
