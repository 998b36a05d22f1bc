// GateCuts: cuts for a driver in this process, at the gates that it passes itself. It stands
// between the driver and the carrier's gates.
//
// A client that is cut off before delivery gets no further than to the gate: what it was about to
// do there is never done, and an exception takes it out of the call. Later cuts only keep the
// answer from it: between the effect and the answer nothing can happen to somebody in the same
// process.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "harness/contract/gates.h"
#include "harness/schedule/call_cuts.h"

namespace assay {

// What is thrown; nobody but the runner knows of it.
struct CutOff {};

class GateCuts final : public Gates, public CallCuts {
 public:
  // Borrowed for life.
  explicit GateCuts(Gates& carrier) : carrier_(carrier) {}

  bool on() const override { return current_ >= 0 || carrier_.on(); }
  void pass(const char* where) override;
  bool wait(const char* for_what, const void* what) override;
  void opened(const void* what) override { carrier_.opened(what); }

  void begin_call(int client, const std::optional<Cut>& cut, std::function<void()> on_cut) override;
  Ended end_call(int client) override;

 private:
  struct Call {
    std::optional<Cut> cut;
    Ended so_far;
    std::function<void()> on_cut;
  };
  bool is_cut_here(int client);

  Gates& carrier_;
  std::atomic<int> current_ = -1;  // whose call it is that goes on: one client moves at a time
  std::mutex mutex_;               // for a client that moves out of sight
  std::map<int, Call> calls_;
};

}  // namespace assay
