// ClockLibrary: the library that programs are started under (preload/), as a file of which they can
// be. Its bytes are in this program: an installed one needs nothing beside it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "harness/contract/result.h"

namespace assay {

class ClockLibrary {
 public:
  // Writes it into `folder`. Where nothing can be loaded from there (a mount forbids it, or the
  // name has a space or a colon, which LD_PRELOAD has for separators), into a folder of its own
  // below /tmp, /var/tmp or /dev/shm, which goes with this object; that of a killed process stays
  // until a run with its scratch folder there removes it. Any account that reaches it can read it.
  static Result<std::unique_ptr<ClockLibrary>> write(const std::string& folder);
  ~ClockLibrary();
  ClockLibrary(const ClockLibrary&) = delete;
  ClockLibrary& operator=(const ClockLibrary&) = delete;

  const std::string& path() const { return path_; }

 private:
  ClockLibrary(std::string path, std::string own_folder)
      : path_(std::move(path)), own_folder_(std::move(own_folder)) {}

  std::string path_, own_folder_;
};

}  // namespace assay
