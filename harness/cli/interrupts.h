// Interrupts: Ctrl-C, SIGTERM and the end of the terminal (SIGHUP), heard on a thread of their own,
// where anything may be done.
#pragma once

#include <signal.h>

#include <functional>
#include <thread>

namespace assay::cli {

// To be called before the first thread starts: from then on only Interrupts hears them.
void block_interrupts();

// Calls `first` at the first one. At the second, or at the first where `first` is empty, calls
// `last` and ends the process at once with 128 + the signal's number. A SIGHUP after the first is
// no second one: a terminal that closes may send several. Under nohup it is not heard at all.
class Interrupts {
 public:
  Interrupts(std::function<void()> first, std::function<void()> last);
  // The same with one more before the last.
  Interrupts(std::function<void()> first, std::function<void()> second, std::function<void()> last);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  std::thread listener_;
};

}  // namespace assay::cli
