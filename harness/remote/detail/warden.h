// The warden: the process between us and a program that we started. It adopts what the program
// forks, reports the program's end, and once our end of the leash closes, whatever closed it, kills
// all of them and ends.
//
// It is a tiny program of its own (warden_program.h), so that to start one takes no copy of us.
// Where that cannot be had it is a copy of us after all. Either way it makes plain system calls and
// nothing else.
#pragma once

#include <sys/types.h>

namespace assay::detail {

// What the warden needs, made before it is started.
struct WardenOrders {
  char** paths = nullptr;  // of the program: the first that can be executed is
  char** argv = nullptr;   // the entry before the first is there, to be overwritten
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

// What it is after the program was started.
struct Ward {
  pid_t program = -1;
  int events = -1;
};

// What fails is reported, and ends this process.
Ward start_program(const WardenOrders& orders);
[[noreturn]] void guard(const WardenOrders& orders, Ward ward);

}  // namespace assay::detail
