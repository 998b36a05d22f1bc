#include "harness/cli/queue/mortal_driver.h"

#include <mutex>

#include "harness/contract/wakeups.h"

namespace assay::cli::queue {

static Error is_dead() {
  return {ErrorCode::unavailable, "its worker is dead", LeaseReason::unstated, true};
}

// The calls that a worker and its client make.
class MortalSession final : public Session {
 public:
  MortalSession(MortalDriver& driver, std::unique_ptr<Session> inner)
      : driver_(driver), inner_(std::move(inner)) {}

  Result<Enqueued> enqueue(Instant now, const Enqueue& r) override {
    return alive([&] { return inner_->enqueue(now, r); });
  }
  Result<Claims> reserve(Instant now, const Reserve& r) override {
    return alive([&] { return inner_->reserve(now, r); });
  }
  Result<Extended> extend(Instant now, const Extend& r) override {
    return alive([&] { return inner_->extend(now, r); });
  }
  Status ack(Instant now, const Ack& r) override {
    return alive([&] { return inner_->ack(now, r); });
  }
  Status retry(Instant now, const Retry& r) override {
    return alive([&] { return inner_->retry(now, r); });
  }
  Status fail(Instant now, const Fail& r) override {
    return alive([&] { return inner_->fail(now, r); });
  }
  Result<Nacked> nack(Instant now, const Nack& r) override {
    return alive([&] { return inner_->nack(now, r); });
  }
  Result<JobView> get(Instant now, const Get& r) override {
    return alive([&] { return inner_->get(now, r); });
  }
  Result<JobPage> list(Instant now, const List& r) override {
    return alive([&] { return inner_->list(now, r); });
  }
  // Nobody is there to close it.
  Status close() override {
    return alive([&] { return inner_->close(); });
  }

 private:
  template <class Call>
  auto alive(Call call) -> decltype(call()) {
    const std::shared_lock lock(driver_.mutex_);
    if (driver_.is_dead_) return is_dead();
    return call();
  }

  MortalDriver& driver_;
  const std::unique_ptr<Session> inner_;
};

void MortalDriver::die() {
  const std::unique_lock lock(mutex_);
  is_dead_ = true;
}

Result<std::unique_ptr<Session>> MortalDriver::open(const SessionSpec& spec) {
  const std::shared_lock lock(mutex_);
  if (is_dead_) return is_dead();
  auto opened = inner_.open(spec);
  if (!opened) return opened;
  return std::unique_ptr<Session>(std::make_unique<MortalSession>(*this, std::move(*opened)));
}

Result<std::unique_ptr<WakeUps>> MortalDriver::wakeups(const std::vector<std::string>& queues) {
  return inner_.wakeups(queues);
}

}  // namespace assay::cli::queue
