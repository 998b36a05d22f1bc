// Disk: a folder that forgets, when told to, what was not synced to it, as a disk does whose power
// fails.
//
// An ext4 in a file, mounted through a loop device: what was written and not synced is in the
// kernel's memory only, so a copy of the file does not have it. Needs root. The mount is in a
// namespace of this thread and those it makes from then on, so it is gone with the process.
#pragma once

#include <memory>
#include <string>

#include "harness/contract/result.h"

namespace assay::detail {

class Disk {
 public:
  // In a folder that exists. The error says in a sentence why it cannot be had here.
  static Result<std::unique_ptr<Disk>> make(const std::string& folder);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  const std::string& path() const { return path_; }

  // What is on it now stays.
  Status sync();

  // Afterwards it holds what was synced, and what happened to be written by then. Requires: no
  // process uses it.
  Status lose_power();

 private:
  explicit Disk(const std::string& folder);

  std::string image_, copy_, path_;
  bool mounted_ = false;
};

}  // namespace assay::detail
