// AllReport: several drivers, certified one after the other with the same options, and compared.
#pragma once

#include "harness/run/compare.h"

namespace assay {

// The filter leaves nothing that could be tested of it, with what it claims.
struct SkippedDriver {
  std::string driver;
  std::string reason;
};

struct AllReport {
  std::string assay_version;
  Profile profile;
  Level level = Level::contract;
  std::uint64_t seed = 0;
  std::vector<Report> drivers;             // empty where only META-1 was asked for
  std::vector<SkippedDriver> skipped;      // not certified; compared like the others
  std::optional<LikenessReport> likeness;  // absent where META-1 was not asked for
  double seconds = 0;
  std::vector<std::string> troubles;  // ours, besides those of the parts
  bool certified = false;
  int exit_status = 3;
};

// The worst of its parts: 1 a FAIL, 3 trouble of our own, 2 anything else that is not a PASS. Where
// a canary lives nothing means anything: 3. Who was skipped counts for nothing.
int exit_status_of(const AllReport& report);

}  // namespace assay
