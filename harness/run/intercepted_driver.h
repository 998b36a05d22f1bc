// InterceptedDriver: passes every call on to another driver through somebody who may alter the
// request, answer in the driver's place, or spoil its answer.
//
// Thread-safe where that somebody is.
#pragma once

#include <functional>

#include "harness/contract/driver.h"

namespace assay {

struct Interception {
  using Next = std::function<Result<Response>(Instant, const Request&)>;
  // In the place of each call, but for what is done to records; empty: passes all on.
  std::function<Result<Response>(const SessionSpec&, Instant, const Request&, const Next&)> call =
      {};
  // Before a session is opened, and before anything is done to records: an error stands in its
  // place.
  std::function<Status(const SessionSpec&)> open = {};
  // After a session was opened.
  std::function<void(const SessionSpec&)> opened = {};
  std::function<Status(const SessionSpec&)> records = {};
};

class InterceptedDriver final : public Driver {
 public:
  // The other one is borrowed for life.
  InterceptedDriver(Driver& inner, Interception interception)
      : inner_(inner), interception_(std::move(interception)) {}

  const Profile& profile() const override { return inner_.profile(); }
  Status setup(const Setup& setup) override { return inner_.setup(setup); }
  Status teardown() override { return inner_.teardown(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override;
  Result<Instant> now() override { return inner_.now(); }
  Result<Instant> advance(Duration by) override { return inner_.advance(by); }
  Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues) override;
  Status health() override { return inner_.health(); }
  Status reopen() override { return inner_.reopen(); }
  Status end() override { return inner_.end(); }

 private:
  Driver& inner_;
  const Interception interception_;
};

}  // namespace assay
