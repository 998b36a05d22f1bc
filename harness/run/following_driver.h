// FollowingDriver: a driver that takes no part in a schedule, made to live under one: its store's
// clock goes where another clock is, and a gate stands before and behind each of its calls, so that
// others come in between at the boundaries of calls.
//
// The clock is moved right before the call that is to see it, by whoever makes that: under a
// schedule that moves one client at a time nobody else is in a call then. It tells no wake-ups:
// they come from a thread of the driver's own, that no schedule decides about. Sessions of one name
// have different names below, since a driver may draw ids by them.
//
// Thread-safe where one client moves at a time.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/contract/driver.h"
#include "harness/run/intercepted_driver.h"

namespace assay {

class FollowingDriver final : public Driver {
 public:
  // All are borrowed for life.
  FollowingDriver(Driver& inner, const Clock& clock, Gates& gates);

  // How the store failed first: a call of its own accord, or its clock would not go where it was
  // to.
  const std::optional<Error>& trouble() const { return trouble_; }

  const Profile& profile() const override { return inner_.profile(); }
  Status setup(const Setup& setup) override;
  Status teardown() override { return inner_.teardown(); }
  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override;
  Result<Instant> now() override { return clock_.now(); }
  Status health() override { return inner_.health(); }

 private:
  Interception between();
  Status catch_up();
  void note(const Error& error);

  Driver& inner_;
  const Clock& clock_;
  Gates& gates_;
  InterceptedDriver intercepted_;
  Instant shown_ = run_epoch;            // by the store's clock
  std::map<std::string, int> sessions_;  // by name: how many
  std::optional<Error> trouble_;
};

}  // namespace assay
