// Scratch: a folder for the drivers' private stores, gone with everything in it when this is.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/contract/result.h"

namespace assay::cli {

class Scratch {
 public:
  // Makes assay-<pid>-XXXXXX in $TMPDIR, else in /dev/shm where there is room, else in /tmp. Before
  // that, puts right what dead runs of this user left behind there. All that is started from now on
  // is marked as this run's.
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

// The folders that scratch folders may be in, each once.
std::vector<std::filesystem::path> places_for_scratch();

}  // namespace assay::cli
