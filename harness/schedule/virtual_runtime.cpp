#include "harness/schedule/virtual_runtime.h"

#include <fmt/format.h>

#include "harness/schedule/detail/virtual_core.h"

namespace assay {
namespace {

using Core = VirtualRuntime::Core;

class VirtualMonitor final : public Monitor {
 public:
  VirtualMonitor(std::shared_ptr<Core> core, const char* name)
      : core_(std::move(core)), lock_{name} {}

  void lock() override { core_->acquire(lock_); }
  void unlock() override { core_->release(lock_); }
  bool wait_until(std::optional<Instant> deadline) override {
    return core_->wait_in(lock_, deadline);
  }
  void notify_one() override { core_->notify(lock_, false); }
  void notify_all() override { core_->notify(lock_, true); }

 private:
  const std::shared_ptr<Core> core_;  // shared with the runtime
  Core::Lock lock_;
};

class VirtualTask final : public Task {
 public:
  VirtualTask(std::shared_ptr<Core> core, int number) : core_(std::move(core)), number_(number) {}
  ~VirtualTask() override {
    if (core_->needs_no_end(number_)) return;
    core_->request_stop(number_);
    static_cast<void>(core_->join(number_, std::nullopt));
  }

  void request_stop() override { core_->request_stop(number_); }
  bool join_until(std::optional<Instant> deadline) override {
    return core_->join(number_, deadline);
  }
  void let_go() override { core_->let_go_of(number_); }

 private:
  const std::shared_ptr<Core> core_;  // shared with the runtime
  const int number_;
};

}  // namespace

std::string VirtualRun::told() const {
  std::string text;
  if (over_bound) text += fmt::format("more than {} moves\n", moves.size());
  for (const std::string& line : deadlock) text += line + "\n";
  for (const std::string& name : hung) text += name + " comes to no gate\n";
  return text;
}

VirtualRuntime::VirtualRuntime(Strategy& strategy, VirtualSettings settings)
    : core_(std::make_shared<Core>(strategy, settings)) {}

VirtualRuntime::~VirtualRuntime() = default;

VirtualRun VirtualRuntime::run(std::function<void()> body) { return core_->run(std::move(body)); }

Gates& VirtualRuntime::gates() { return *core_; }

Clock& VirtualRuntime::clock() { return *core_; }

std::unique_ptr<Task> VirtualRuntime::start(std::string name,
                                            std::function<void(std::stop_token)> body) {
  return std::make_unique<VirtualTask>(core_, core_->start(std::move(name), std::move(body)));
}

std::unique_ptr<Monitor> VirtualRuntime::monitor(const char* name) {
  return std::make_unique<VirtualMonitor>(core_, name);
}

}  // namespace assay
