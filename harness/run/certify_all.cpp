#include "harness/run/certify_all.h"

#include <algorithm>

namespace assay {

static int exit_status_of(const LikenessReport& report) {
  if (report.rule.verdict == Verdict::fail) return 1;
  if (!report.troubles.empty()) return 3;
  return report.rule.verdict == Verdict::pass && !report.partial && report.driver_troubles.empty()
             ? 0
             : 2;
}

int exit_status_of(const AllReport& report) {
  std::vector<int> statuses;
  for (const Report& driver : report.drivers) {
    if (!driver.canary_convicted) return 3;
    statuses.push_back(driver.exit_status);
  }
  if (report.likeness) statuses.push_back(exit_status_of(*report.likeness));
  if (!report.troubles.empty() || statuses.empty()) statuses.push_back(3);
  for (const int status : {1, 3, 2})
    if (std::ranges::find(statuses, status) != statuses.end()) return status;
  return 0;
}

}  // namespace assay
