// ClockFile: the clock of processes that were started under the preloaded library, moved from here.
//
// Whoever asks for the time after a call has returned is told the new one. The file stays when this
// object goes. Thread-safe; one writer a file.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "harness/clock/control.h"
#include "harness/contract/result.h"
#include "harness/contract/time.h"

namespace assay {

class ClockFile {
 public:
  // A new file, with the time of the machine. Others may read it, if they reach its folder.
  static Result<std::unique_ptr<ClockFile>> create(const std::string& path);
  // One that somebody else made, as it stands.
  static Result<std::unique_ptr<ClockFile>> open(const std::string& path);
  ~ClockFile();
  ClockFile(const ClockFile&) = delete;
  ClockFile& operator=(const ClockFile&) = delete;

  // It stands still there, forwards or backwards of where it was.
  void stand_at(Instant at);

  // It goes on from there, `rate` times as fast as real time.
  void run_from(Instant at, double rate = 1);

  // The time of the machine again.
  void follow_machine();

  // Where it stands, or stood when it began to run; nothing while it follows the machine.
  std::optional<Instant> base() const;

 private:
  explicit ClockFile(ClockControl* control) : control_(control) {}
  void set(const ClockSetting& setting);

  mutable std::mutex mutex_;
  ClockControl* const control_;  // mapped
};

}  // namespace assay
