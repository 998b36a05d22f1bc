// The warden: the process between us and a program that we started. It adopts what the program
// forks, reports the program's end, and once our end of the leash closes, whatever closed it, kills
// all of them and ends.
#pragma once

namespace assay::detail {

// What the warden needs, made before the fork: behind it, in a copy of a program with many threads,
// only plain system calls are safe.
struct WardenOrders {
  char** argv = nullptr;
  char** envp = nullptr;
  const char* folder = nullptr;
  int streams[3] = {-1, -1, -1};  // the program's
  int leash = -1;                 // to read
  int report = -1;                // to write
};

enum class Step : int { none, fork, folder, program };

// Two come, in this order: the program's pid, or what failed and its errno; then, if it was
// started, its wait status.
struct WardenReport {
  Step failed_step = Step::none;
  int value = 0;
};

[[noreturn]] void be_warden(const WardenOrders& orders);

}  // namespace assay::detail
