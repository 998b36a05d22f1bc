#include "drivers/memory/memory.h"

#include "drivers/memory/session.h"

namespace assay {

namespace {

using memory_queue::Decisions;
using memory_queue::MemorySession;
using memory_queue::Namespace;

class MemoryDriver final : public Driver {
 public:
  MemoryDriver(const DriverOptions& options, std::unique_ptr<const Decisions> decisions)
      : profile_(options.profile),
        clock_(options.clock),
        seed_(options.seed),
        gates_(options.gates),
        decisions_(std::move(decisions)) {}

  const Profile& profile() const override { return profile_; }

  Status setup(const Setup& setup) override {
    CHECK(!namespace_);
    if (!setup.create) return unsupported("a memory store is seen by its own process only");
    namespace_ = std::make_shared<Namespace>(decisions_, clock_, seed_, gates_);
    return Done{};
  }

  Status teardown() override {
    namespace_.reset();
    return Done{};
  }

  Result<std::unique_ptr<Session>> open(const SessionSpec&) override {
    CHECK(namespace_);
    return std::unique_ptr<Session>(std::make_unique<MemorySession>(namespace_));
  }

  Result<Instant> now() override {
    CHECK(namespace_);
    const std::lock_guard lock(namespace_->mutex);
    return clock_.now() + namespace_->offset;
  }

  Result<Instant> advance(Duration by) override {
    if (!profile_.has("virtual_time")) return Driver::advance(by);
    CHECK(namespace_);
    const std::lock_guard lock(namespace_->mutex);
    namespace_->offset += by;
    return clock_.now() + namespace_->offset;
  }

 private:
  const Profile profile_;
  const Clock& clock_;
  const std::uint64_t seed_;
  Gates* const gates_;
  // Shared with the namespaces, which may outlive the driver in a session that was not yet closed.
  const std::shared_ptr<const Decisions> decisions_;
  std::shared_ptr<Namespace> namespace_;  // shared with its sessions
};

}  // namespace

Result<std::unique_ptr<Driver>> make_memory_driver(const DriverOptions& options,
                                                   std::unique_ptr<const Decisions> decisions) {
  if (options.url) return invalid("a memory store has no address");
  return std::unique_ptr<Driver>(std::make_unique<MemoryDriver>(options, std::move(decisions)));
}

DriverInfo memory() {
  return memory_that_decides<Decisions>("memory",
                                        "in this process, nothing kept; every knob of the profile");
}

}  // namespace assay
