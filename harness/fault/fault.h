// Fault: something that is made to go wrong in a run, with proof that it did, and put right again.
//
// A plan says which, when and whom (FaultSpec); a run begins it, asks for proof and ends it on
// every way out. A fault that cannot show that it took effect proves nothing: its run is void.
//
// Not thread-safe: one run has them in hand. While one begins or ends, clients may be moving.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/result.h"
#include "harness/contract/rules.h"
#include "harness/contract/session.h"
#include "harness/contract/time.h"
#include "harness/history/history.h"
#include "harness/plan/plan.h"

namespace assay {

class Backend;        // harness/backend/backend.h
class Disk;           // harness/backend/disk.h
class ProcessClock;   // harness/clock/process_clock.h
class WakeUpTrouble;  // harness/fault/wakeup_trouble.h
namespace proxy {
class Lines;  // harness/proxy/lines.h
}

// What a fault may lay its hands on: the run that it befalls. What the run has not comes back as an
// error, a sentence that says so.
class Surroundings {
 public:
  virtual ~Surroundings() = default;

  // Null: the client lives in our process, or shares one. Opens its session where it has none.
  virtual Result<ClientProcess*> process_of(int client) = 0;

  // The client is about to die: what it is answered from now on is no trouble of the driver's.
  virtual void doom(int client) = 0;
  // It is dead: its session is dropped as it is, once no call uses it. It begins anew with its next
  // step, or when its process is asked for, in a process of its own where it had one.
  virtual void lose(int client) = 0;

  // While nobody may return, who died waits before it begins anew, wherever that is but in the
  // thread that says so; who was about to begin has done so when this comes back.
  virtual void let_return(bool may) = 0;

  // While it is stalled a client makes no step.
  virtual void stall(int client, bool is_stalled) = 0;

  // From now on the client's calls are made with a clock that is off by `offset` and `drift` times
  // as much again for each unit of time that passes. How many calls were made so comes back from
  // `skewed_calls`. Only where calls bring their own clock.
  virtual Status skew(int client, Duration offset, double drift) = 0;
  virtual std::uint64_t skewed_calls(int client) = 0;

  virtual int clients() const = 0;

  // The client's line to its store, in the proxy that all lines go through.
  struct Line {
    proxy::Lines* lines = nullptr;
    std::string name;
  };
  virtual Result<Line> line_of(int client) = 0;

  // The client's process is killed in its next call, when that comes to the cut: what it has sent
  // is dealt with as the cut says. Only where its requests to the store can be seen.
  virtual Status kill_at(int, const Cut&) {
    return unsupported("its requests to the store cannot be seen");
  }
  // How its process ended; nothing where it has not come so far.
  virtual std::optional<std::string> killed_at(int) { return std::nullopt; }
  // It need not die any more.
  virtual void spare(int) {}

  // The clock that the client's process lives by, where it was started under one of ours.
  virtual Result<ProcessClock*> clock_of(int) {
    return unsupported("its process lives by the machine's clock");
  }

  // The channel on which an engine announces jobs.
  virtual Result<WakeUpTrouble*> wakeups() { return unsupported("nobody announces jobs here"); }

  // The server that we started for the run; null: the store has none, its clients have it open
  // themselves. The error: it has one that is not ours.
  virtual Result<Backend*> store() = 0;
  // The disk of ours that the store's data are on. The error: they are on none.
  virtual Result<Disk*> disk() = 0;
  // The store was away and is back: time goes on where it stood. Where it has no server, whoever
  // of the driver had it open besides the clients was killed, and begins anew. The error: it is
  // not back.
  virtual Status store_is_back() = 0;

  // The clock that leases and schedules are judged by, as the store itself reads it.
  virtual Result<Instant> store_time() { return unsupported("the store has no clock of its own"); }
  // Steps it, backwards too; time goes on from there. Only where the store lives by its own clock,
  // and that is ours.
  virtual Status step_store_clock(Duration) {
    return unsupported("the store has no clock of its own");
  }
};

// Whom it befell did nothing meanwhile that it could have struck: it is as good as none.
Error met_nobody(std::string sentence);
bool is_met_nobody(const Error& error);

class Fault {
 public:
  virtual ~Fault() = default;

  // The error: it cannot be had here, which is no fault of the driver's.
  virtual Status begin() = 0;
  // A sentence that says what shows that it took effect, the same in each run that it is the same
  // in. Asked before it ends, unless only its end shows it; an error where nothing shows it:
  // met_nobody() where there was nothing for it to strike.
  virtual Result<std::string> proof() = 0;
  // What is another in each run, for people: it stands behind the proof in reports, and is no part
  // of the history. Empty: nothing.
  virtual std::string measured() const { return ""; }
  // Afterwards all is as before. Twice is harmless.
  virtual Status end() = 0;
};

// What one loss of the store is called where durability is told of: "crash of the process".
struct Outage {
  std::string_view one, many;
};

struct DrawnNumber {
  std::string_view name;
  std::int64_t least, most;
};

struct FaultInfo {
  static constexpr std::uint64_t usual_weight = 4;

  std::string_view name;     // "kill_worker"
  std::string_view family;   // "worker", "clock", "network", "store", "wakeup"
  std::string_view summary;  // one sentence
  FaultEffect effect = FaultEffect::none;
  // The numbers that it takes, with what they are without being said.
  std::vector<std::pair<std::string_view, std::int64_t>> with = {};
  // What a driver must have: as Rule::needs; empty: nothing.
  std::string_view needs = {};
  // Where it begins and is over at once: there is nothing to be put right.
  bool is_brief = false;
  // It strikes when it ends, and can be proven only then.
  bool shows_at_end = false;
  // It befalls everybody, as those of the store do.
  bool of_all = false;
  // Only while nobody else moves: where clients move at once, between their rounds.
  bool one_at_a_time = false;
  // Only where clients move at once: one that is alone would wait for its end in vain.
  bool many_at_once = false;
  // It strikes at requests to the store: all of them go through our hands.
  bool at_requests = false;
  // Clients that it befalls are started under a clock of their own.
  bool needs_process_clock = false;
  // From which level on plans are drawn with it; absent: only those of an engine are.
  std::optional<Level> drawn_from = Level::chaos;
  // How often, beside others that can befall the driver; what takes seconds, seldom.
  std::uint64_t weight = usual_weight;
  // Between which, both included, a number of it is drawn; others: from half to twice the usual.
  std::vector<DrawnNumber> drawn_between = {};
  // The store goes away and comes back: what it keeps then is what its durability is.
  std::optional<Outage> outage = {};
  bool needs_disk = false;     // of ours, with the store's data on it
  bool needs_server = false;   // of ours, for the store
  bool needs_replica = false;  // of that
  // What is missing on this machine, whatever the driver: "needs root". Null: nothing can be.
  std::optional<std::string> (*why_not_here)() = nullptr;
  // Of a spec that find_fault has nothing against; the client is -1 where it befalls everybody. The
  // surroundings outlive it.
  std::unique_ptr<Fault> (*make)(const FaultSpec& spec, int client, Surroundings& around) = nullptr;
};

// The number that the spec gives, else the fault's own.
std::int64_t number_of(const FaultInfo& info, const FaultSpec& spec, std::string_view name);

// An error where there is no such fault, or it takes no such number.
Result<const FaultInfo*> find_fault(std::span<const FaultInfo> all, const FaultSpec& spec);

}  // namespace assay
