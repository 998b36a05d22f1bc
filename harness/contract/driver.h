// Driver: a queue under test. It owns one namespace at a time and opens sessions on it.
//
// setup, teardown and advance are called by one thread while no session is in use; open and now by
// any.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/contract/clock.h"
#include "harness/contract/gates.h"
#include "harness/contract/profile.h"
#include "harness/contract/session.h"

namespace assay {

class WakeUps;

enum class Role { producer, worker, admin };

std::string_view name_of(Role role);
std::optional<Role> role_from(std::string_view name);

enum class Create {
  anew,       // it is empty afterwards, whatever was there
  if_absent,  // what was there stays; several who do so at once share what one of them made
  never,      // attach to what another process created; refused as not_found where nobody did
};

struct Setup {
  std::string name_space;  // a-z, 0-9 and _; at most 40
  Create create = Create::anew;
};

struct SessionSpec {
  std::string name;
  Role role = Role::worker;
  // The way that this client takes to the store, where it is another one than the driver's own. A
  // driver without `shared_storage` is given none; one that keeps connections keeps them apart.
  std::optional<std::string> url = {};
  // Its process, where clients have processes of their own, may be killed: it is nobody else's.
  bool may_die = false;
  // For its process, where that is its own: one that has another is started anew.
  std::vector<std::pair<std::string, std::string>> environment = {};
};

class Driver {
 public:
  virtual ~Driver() = default;

  // What the driver claims, and is judged by.
  virtual const Profile& profile() const = 0;

  // Afterwards the namespace exists. One that a program of another version made, and that cannot
  // be brought up to date, is refused as invalid and left as it is; made anew, it may be emptied.
  // Requires: no namespace is set up.
  virtual Status setup(const Setup& setup) = 0;

  // Afterwards the namespace's storage is gone, and another may be set up.
  virtual Status teardown() = 0;

  // Requires: a namespace is set up. The driver outlives its sessions.
  virtual Result<std::unique_ptr<Session>> open(const SessionSpec& spec) = 0;

  // The time that leases and schedules are judged by, where the store has a clock.
  virtual Result<Instant> now() = 0;

  // Moves that clock for everybody who uses the namespace. Only with capability `virtual_time`.
  // Backwards, too, unless it refuses that as invalid.
  virtual Result<Instant> advance(Duration by);

  // Tells of jobs that may have become runnable in these queues (wakeups.h), from now on; the
  // driver outlives it. Requires: a namespace is set up, and stays while it is used. Refused as
  // unsupported where the driver has none.
  virtual Result<std::unique_ptr<WakeUps>> wakeups(const std::vector<std::string>& queues);

  // What broke the way to the driver, if anything did: what it answers then means nothing any more.
  virtual Status health() { return Done{}; }

  // Its store was taken away under it: what it still has open there is forgotten, and its process,
  // where it has one besides those of its sessions, is another. Requires: no session that was open
  // by then is used any more.
  virtual Status reopen() { return Done{}; }

  // Ends it in good order; the error says how it would not end. Requires: no call follows.
  virtual Status end() { return Done{}; }
};

// What a driver is made with. The clock is borrowed for the driver's life.
struct DriverOptions {
  Profile profile;                 // behave like this
  Clock& clock;                    // the base of the store's clock
  std::uint64_t seed = 0;          // for ids, tokens and jitter: same seed, same answers
  std::optional<std::string> url;  // where the store is; absent: a private one
  std::string scratch;             // a folder for private stores; exists, is removed after the run
  std::string log_folder = {};     // for what the driver's processes say; made when there is some
  Gates* gates = nullptr;  // to pass, for a driver that takes part; borrowed for the driver's life
};

// How closely the harness can interleave the clients of a driver.
enum class Interleaving {
  calls,   // at the boundaries of its calls
  gates,   // at the gates that it passes
  fibers,  // at its gates, and it blocks its thread nowhere else
  trips,   // at its requests to a store that we stand before
};

std::string_view name_of(Interleaving interleaving);  // "calls", "gates", "fibers", "trips"

struct DriverInfo {
  std::string name;
  std::string summary;
  std::function<Result<std::unique_ptr<Driver>>(const DriverOptions&)> make;
  // What the driver claims where the person names no profile: the profile's name to start from.
  std::string default_profile = "reference";
  // Where several processes can share a store: the url of a fresh private one in the scratch
  // folder.
  std::function<Result<std::string>(const std::string& scratch)> private_store = {};
  // The server that its url leads to: "postgres", "redis"; empty: it needs none. Where the person
  // names no url, one is started for the run.
  std::string backend = {};
  Interleaving interleaving = Interleaving::calls;
  // The same with each client in a process of its own, which may be killed. Null: it is that
  // itself, or cannot be. Shared by the copies of this.
  std::shared_ptr<const DriverInfo> apart = {};
  // The same url of its store with such patience for each answer, for clients whose line may be
  // dead; null: it is as patient as it is.
  std::function<std::string(std::string url, Duration patience)> impatient = {};
};

}  // namespace assay
