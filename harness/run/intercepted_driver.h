// InterceptedDriver: passes every call on to another driver through somebody who may alter the
// request, answer in the driver's place, or spoil its answer.
//
// Thread-safe where that somebody is.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/contract/driver.h"
#include "harness/contract/records.h"

namespace assay {

struct Interception {
  using Next = std::function<Result<Response>(Instant, const Request&)>;
  // In the place of each call, but for what is done to records; empty: passes all on.
  std::function<Result<Response>(const SessionSpec&, Instant, const Request&, const Next&)> call =
      {};
  // In the place of several that are made together; empty: each is made by itself, through `call`.
  using NextAll = std::function<std::vector<Result<Response>>(Instant, std::span<const Request>)>;
  std::function<std::vector<Result<Response>>(const SessionSpec&, Instant, std::span<const Request>,
                                              const NextAll&)>
      together = {};
  // In the place of a commit of records, once `records` let it through; empty: passes it on.
  using NextCommit = std::function<Result<Committed>(Instant, const Commit&)>;
  std::function<Result<Committed>(const SessionSpec&, Instant, const Commit&, const NextCommit&)>
      commit = {};
  // Before a session is opened, and before anything is done to records: an error stands in its
  // place.
  std::function<Status(const SessionSpec&)> open = {};
  // After one was opened: the session of the driver behind.
  std::function<void(const Session&)> opened = {};
  std::function<Status(const SessionSpec&)> records = {};
  // In the place of a scan of them; empty: passes it on.
  using NextScan = std::function<Result<RecordPage>(Instant, const Scan&)>;
  std::function<Result<RecordPage>(const SessionSpec&, Instant, const Scan&, const NextScan&)>
      scan = {};

  // Of a session that is open.
  bool is_any() const { return call || together || commit || records || scan; }
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
