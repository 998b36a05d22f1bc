// Scratch: a folder for the drivers' private stores, gone with everything in it when this is.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "harness/contract/result.h"

namespace assay::cli {

class Scratch {
 public:
  // Makes assay-<pid>-XXXXXX in $TMPDIR, else in /dev/shm where there is room, else in /tmp. Before
  // that, removes what dead processes of this user left behind there.
  static Result<std::unique_ptr<Scratch>> make();
  ~Scratch() { remove(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }

  // Twice is harmless, also from another thread.
  void remove() noexcept;

 private:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Removes the assay-<pid>-* folders in `parent` that this user owns and whose process is gone.
void remove_leftovers(const std::filesystem::path& parent);

}  // namespace assay::cli
