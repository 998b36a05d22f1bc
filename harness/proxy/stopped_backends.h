// StoppedBackends: processes of a Postgres server that stand still, so that those who wait for a
// lock wake up one at a time, when they are told to.
//
// Only for a server that we started: its processes must be of this machine and ours to signal. A
// guard, a process of its own, lets all of them go on when we are gone, even if we were killed: a
// server that has one standing still with a lock would be of no use to anybody.
//
// Thread-safe.
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <set>

#include "harness/contract/result.h"
#include "harness/proxy/proxy.h"

namespace assay::proxy {

class StoppedBackends {
 public:
  // Starts the guard.
  static Result<std::unique_ptr<StoppedBackends>> start();
  // All go on.
  ~StoppedBackends();
  StoppedBackends(const StoppedBackends&) = delete;
  StoppedBackends& operator=(const StoppedBackends&) = delete;

  // It stands still before this returns; a second time is harmless. Refused where the process is
  // not the one that serves this connection: then the server is not one of this machine.
  Status stop(const StoreSession& session);

  // It goes on. One that does not stand still is left alone.
  void resume(const StoreSession& session);
  void resume_all();

 private:
  StoppedBackends() = default;
  bool tell_guard(bool stops, pid_t pid);

  std::mutex mutex_;
  std::set<pid_t> stopped_;
  pid_t guard_ = -1;
  int leash_ = -1;  // to the guard; when it closes, the guard acts
};

}  // namespace assay::proxy
