#include "drivers/memory/memory.h"

#include "drivers/memory/session.h"

namespace assay {

namespace {

using memory_queue::Decisions;
using memory_queue::MemorySession;
using memory_queue::Namespace;

class MemoryWakeUps final : public WakeUps {
 public:
  // The namespace is shared with the driver and its sessions, as a session's is.
  MemoryWakeUps(std::shared_ptr<Namespace> name_space, const std::vector<std::string>& queues)
      : namespace_(std::move(name_space)), mailbox_(queues) {
    namespace_->bell.add(mailbox_);
  }
  ~MemoryWakeUps() override { namespace_->bell.remove(mailbox_); }

  Result<std::optional<WakeUp>> wait(Duration at_most, std::stop_token stop) override {
    return mailbox_.wait(at_most, std::move(stop));
  }

 private:
  std::shared_ptr<Namespace> namespace_;
  stored::Mailbox mailbox_;
};

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
    if (setup.create == Create::never)
      return unsupported("a memory store is seen by its own process only");
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

  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override {
    CHECK(namespace_);
    if (auto objection = stored::objection_to_queues(queues)) return *objection;
    return std::unique_ptr<WakeUps>(std::make_unique<MemoryWakeUps>(namespace_, queues));
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
