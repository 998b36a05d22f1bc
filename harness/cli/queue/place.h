// Place: the queue that a command of `assay queue` is about: a driver in the machine's own time,
// with its namespace set up.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/admin.h"
#include "harness/cli/named_driver.h"
#include "harness/cli/queue/command.h"
#include "harness/contract/driver.h"
#include "harness/contract/runtime.h"

namespace assay::cli::queue {

// What people type to say which queue they mean.
struct PlaceArguments {
  std::optional<std::string> driver, url, name_space, profile;

  void take(Takes& takes);
};

// The driver, and what it is to claim: never virtual time, so that its clock is the store's own, or
// the machine's. An error for wrong usage.
struct NamedPlace {
  NamedDriver driver;
  Profile profile;
};
Result<NamedPlace> named(const PlaceArguments& arguments);

class Place {
 public:
  // Says on stderr why not; then `status` is the exit status.
  static std::unique_ptr<Place> open(const PlaceArguments& arguments, int& status,
                                     Create create = Create::if_absent);
  ~Place();

  Runtime& runtime() { return *runtime_; }
  Driver& driver() { return *driver_; }
  Session& session() { return *session_; }
  engine::Admin& admin() { return *admin_; }
  Instant now() { return runtime_->clock().now(); }
  const std::string& name_space() const { return name_space_; }

  // Refuses a queue that nobody ever used, with the names of those that are known.
  Status expect_queue(const std::string& queue);
  // Those that were named, each of which must be known; where none were, all that are.
  Result<std::vector<std::string>> queues(const std::vector<std::string>& named);

 private:
  Place() = default;
  Result<Done> make(const NamedPlace& named, const std::string& name_space, Create create);

  std::unique_ptr<Runtime> runtime_ = real_runtime();
  std::string name_space_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<engine::Admin> admin_;
};

// Its clock, where it has one of its own, is that of this world.
Status check_clock(Driver& driver, const Clock& clock);

// Tells what is wrong, on stderr: 1 where the queue refused it, 3 where there is trouble, 64 where
// what was asked for makes no sense.
int told(const Error& error);

}  // namespace assay::cli::queue
