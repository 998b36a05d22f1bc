// Disk: a folder that forgets, when told to, what was not synced to it, as a disk does whose power
// fails.
//
// An ext4 in a file, mounted through a loop device: what was written and not synced is in the
// kernel's memory only, so a copy of the file does not have it. Needs root. The mount is in a
// namespace of this thread and those it makes from then on, so it is gone with the process.
//
// Not thread-safe, but for `losses`.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "harness/contract/result.h"

namespace assay {

class Disk {
 public:
  // In a folder that exists. The error says in a sentence why it cannot be had here.
  static Result<std::unique_ptr<Disk>> make(const std::string& folder);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  // What can be seen to be missing without making one: "needs root".
  static std::optional<std::string> why_not_here();

  // Mounts of this thread, and of those that it makes from now on, are nobody else's. `make` does
  // this where nobody did; who has threads that are to see the disk does it before them.
  static Status keep_mounts_apart();

  const std::string& path() const { return path_; }

  // A file of ours that was synced when the disk was made.
  std::string kept_file() const { return path_ + "/kept"; }

  // What is on it now stays.
  Status sync();

  // Afterwards it holds what was synced, and what happened to be written by then; every process
  // that had a file of it open was killed before. Requires: we have none open.
  Status lose_power();
  // How often it did. Whoever has a file of it open since before has a file of no disk.
  std::uint64_t losses() const { return losses_; }

 private:
  explicit Disk(const std::string& folder);

  const std::string folder_, image_, copy_, path_;
  std::atomic<std::uint64_t> losses_ = 0;
  bool mounted_ = false;
};

}  // namespace assay
