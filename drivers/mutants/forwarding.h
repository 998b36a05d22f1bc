// ForwardingSession, ForwardingDriver: pass every call on. A mutant overrides the one call that it
// gets wrong.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "drivers/memory/memory.h"
#include "drivers/mutants/mutant.h"
#include "harness/contract/wakeups.h"

namespace assay::mutants {

// What the sessions of one wrapped driver know together; shared by them.
struct Notes {
  std::mutex mutex;
  std::set<std::string> names;
  std::map<std::string, int> under_way;  // calls, by what they are about
  std::map<std::string, Claims> last;    // what the last of them got
};

class ForwardingSession : public Session {
 public:
  ForwardingSession(std::unique_ptr<Session> inner, std::shared_ptr<Notes> notes)
      : inner_(std::move(inner)), notes_(std::move(notes)) {}

  Result<Enqueued> enqueue(Instant now, const Enqueue& request) override {
    return inner_->enqueue(now, request);
  }
  Result<Claims> reserve(Instant now, const Reserve& request) override {
    return inner_->reserve(now, request);
  }
  Result<Extended> extend(Instant now, const Extend& request) override {
    return inner_->extend(now, request);
  }
  Status ack(Instant now, const Ack& request) override { return inner_->ack(now, request); }
  Status retry(Instant now, const Retry& request) override { return inner_->retry(now, request); }
  Status fail(Instant now, const Fail& request) override { return inner_->fail(now, request); }
  Result<Nacked> nack(Instant now, const Nack& request) override {
    return inner_->nack(now, request);
  }
  Result<Cancelled> cancel(Instant now, const Cancel& request) override {
    return inner_->cancel(now, request);
  }
  Status pause(Instant now, const Pause& request) override { return inner_->pause(now, request); }
  Status resume(Instant now, const Resume& request) override {
    return inner_->resume(now, request);
  }
  Result<JobView> get(Instant now, const Get& request) override {
    return inner_->get(now, request);
  }
  Result<JobPage> list(Instant now, const List& request) override {
    return inner_->list(now, request);
  }
  Result<DeadPage> dead(Instant now, const Dead& request) override {
    return inner_->dead(now, request);
  }
  Result<Requeued> requeue(Instant now, const Requeue& request) override {
    return inner_->requeue(now, request);
  }
  Records* records() override { return inner_->records(); }
  Status close() override { return inner_->close(); }

 protected:
  Session& inner() { return *inner_; }
  Notes& notes() { return *notes_; }

 private:
  std::unique_ptr<Session> inner_;
  std::shared_ptr<Notes> notes_;
};

// `S` is a ForwardingSession with its constructor.
template <class S>
class ForwardingDriver final : public Driver {
 public:
  explicit ForwardingDriver(std::unique_ptr<Driver> inner) : inner_(std::move(inner)) {}

  const Profile& profile() const override { return inner_->profile(); }
  Status setup(const Setup& setup) override {
    notes_ = std::make_shared<Notes>();
    return inner_->setup(setup);
  }
  Status teardown() override { return inner_->teardown(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override {
    auto session = inner_->open(spec);
    if (!session.ok()) return session.error();
    return std::unique_ptr<Session>(std::make_unique<S>(std::move(session).value(), notes_));
  }
  Result<Instant> now() override { return inner_->now(); }
  Result<Instant> advance(Duration by) override { return inner_->advance(by); }
  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override {
    return inner_->wakeups(queues);
  }

 private:
  std::unique_ptr<Driver> inner_;
  std::shared_ptr<Notes> notes_;
};

// The mutant whose sessions are `S` around those of the memory driver.
template <class S>
Mutant around_memory(Mutant mutant) {
  mutant.driver = [name = std::string(mutant.name), summary = std::string(mutant.summary),
                   profile = std::string(mutant.profile)] {
    return DriverInfo{name, summary,
                      [](const DriverOptions& options) -> Result<std::unique_ptr<Driver>> {
                        auto inner = memory().make(options);
                        if (!inner.ok()) return inner.error();
                        return std::unique_ptr<Driver>(
                            std::make_unique<ForwardingDriver<S>>(std::move(inner).value()));
                      },
                      profile};
  };
  return mutant;
}

}  // namespace assay::mutants
