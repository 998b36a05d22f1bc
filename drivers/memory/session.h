// MemorySession: one client of a memory namespace.
#pragma once

#include <memory>

#include "drivers/memory/store.h"
#include "drivers/stored/mailbox.h"
#include "harness/contract/clock.h"
#include "harness/contract/gates.h"
#include "harness/contract/session.h"

namespace assay::memory_queue {

// What the clients of a namespace share. Thread-safe by its mutex, which guards all but the clock.
struct Namespace {
  Namespace(std::shared_ptr<const Decisions> decides, const Clock& base, std::uint64_t seed,
            Gates* gates)
      : mutex(gates, "the store's lock"),
        decisions(std::move(decides)),
        clock(base),
        store(*decisions, seed, [this] { let_others_in(); }) {}

  // Requires: the caller has the mutex, and has it again afterwards.
  void let_others_in();

  GateMutex mutex;
  std::shared_ptr<const Decisions> decisions;  // shared with the driver, which makes namespaces
  const Clock& clock;
  Duration offset{0};
  Store store;
  stored::Bell bell;
};

class MemorySession final : public Session, private Records {
 public:
  // The namespace is shared with the driver and its other sessions: one that outlives a teardown
  // must still be able to close.
  explicit MemorySession(std::shared_ptr<Namespace> name_space)
      : namespace_(std::move(name_space)) {}

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override;
  Result<Claims> reserve(Instant now, const Reserve& request) override;
  Result<Extended> extend(Instant now, const Extend& request) override;
  Status ack(Instant now, const Ack& request) override;
  Status retry(Instant now, const Retry& request) override;
  Status fail(Instant now, const Fail& request) override;
  Result<Nacked> nack(Instant now, const Nack& request) override;
  Result<Cancelled> cancel(Instant now, const Cancel& request) override;
  Status pause(Instant now, const Pause& request) override;
  Status resume(Instant now, const Resume& request) override;
  Result<JobView> get(Instant now, const Get& request) override;
  Result<JobPage> list(Instant now, const List& request) override;
  Result<DeadPage> dead(Instant now, const Dead& request) override;
  Result<Requeued> requeue(Instant now, const Requeue& request) override;
  Records* records() override { return this; }
  Status close() override;

 private:
  Result<Committed> commit(Instant now, const Commit& commit) override;
  Result<std::optional<assay::Record>> read(Instant now, const std::string& key) override;
  Result<RecordPage> scan(Instant now, const Scan& scan) override;

  template <class Act>
  auto locked(Instant callers_now, Act act);

  std::shared_ptr<Namespace> namespace_;
  bool closed_ = false;
};

}  // namespace assay::memory_queue
