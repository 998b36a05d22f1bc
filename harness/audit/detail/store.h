// AuditedStore: a store under one setting, that can be taken away and come back.
#pragma once

#include <memory>

#include "harness/audit/audit.h"
#include "harness/backend/disk.h"

namespace assay::detail {

class AuditedStore {
 public:
  // Where the disk is given, that is where the data are; it is borrowed.
  static Result<std::unique_ptr<AuditedStore>> start(const DriverInfo& info,
                                                     const AuditOptions& options,
                                                     const AuditSetting& setting, Disk* disk);
  virtual ~AuditedStore() = default;

  // A client of it. As the setting says, or so that all that was done before is safe as well.
  virtual Result<std::unique_ptr<Driver>> driver(std::uint64_t seed, bool safe) = 0;

  // All its processes are gone, at once. Drivers that are alive lose their connections.
  virtual Status crash() = 0;

  // After a crash: it answers again.
  virtual Status restart() = 0;
};

}  // namespace assay::detail
