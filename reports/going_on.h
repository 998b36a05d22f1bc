// GoingOn: which faults are on at the moment, for a line of progress.
//
// Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "harness/history/history.h"

namespace assay {

class GoingOn {
 public:
  void hear(const FaultEvent& event);

  // ", crash_store and 2 partition on"; empty where none is.
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> on_;
};

}  // namespace assay
