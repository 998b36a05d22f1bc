// Backend: a real server that we started: Postgres or Redis, a process of this machine or in a
// container, on a free port of 127.0.0.1, with a random password and data of its own.
//
// Nothing of it stays: when this object goes, or we are killed, its processes are killed whole; its
// data lie in the scratch folder. (A container of a process that was killed is removed when the
// next one is started.) docs/backends.md tells more.
//
// Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/clock/clock_file.h"
#include "harness/clock/library.h"
#include "harness/contract/result.h"
#include "harness/contract/time.h"
#include "harness/remote/process.h"

namespace assay {

enum class BackendKind { automatic, native, docker };

std::string_view name_of(BackendKind kind);  // "auto", "native", "docker"
std::optional<BackendKind> backend_kind_from(std::string_view name);

// Whether a second server follows the first, and how.
enum class Replica {
  none,
  async,     // what is acknowledged may not be there yet
  sync,      // nothing is acknowledged that is not there; Postgres only
  sentinel,  // as async; sentinels decide that it is promoted, not we; Redis only
};

std::string_view name_of(Replica replica);  // "none", "async", ...
std::optional<Replica> replica_from(std::string_view name);

struct BackendOptions {
  // automatic: native where the server is installed, else docker where an engine answers.
  BackendKind kind = BackendKind::automatic;
  std::string scratch;  // a folder that exists; the backend makes one of its own in it
  // The server's own settings, over ours, which lose nothing that was acknowledged: Postgres with
  // fsync and synchronous_commit on, Redis with an append-only file that is always synced.
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::stop_token stop = {};  // gives up starting
  // It lives by a clock of its own, which stands still at run_epoch until it is moved. Native only;
  // refused where it cannot be had, or where the server, asked for its time, does not keep to it.
  bool virtual_clock = false;
  // Native only; refused where the server does not replicate so. Both live by the same clock.
  Replica replica = Replica::none;
  // A folder that exists, for its data alone: a disk of ours (disk.h). Empty: they lie with the
  // rest of it. A container has its data elsewhere, whatever stands here.
  std::string data_folder = {};
};

// What became of a failover, for people.
struct FailedOver {
  std::string proof;     // that it was one, by word of the servers; the same each time
  std::string measured;  // how much had not arrived, and the like: another each time
};

class Backend {
 public:
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const std::string& name() const { return name_; }  // "postgres", "redis"
  // The same for life. Holds the password.
  const std::string& url() const { return url_; }
  BackendKind kind() const { return kind_; }  // never automatic
  const std::string& version() const { return version_; }
  // "PostgreSQL 15.8 (native, 127.0.0.1:23456)": for people, without the password.
  std::string description() const;

  bool has_virtual_clock() const { return clock_ != nullptr; }

  // Moves its clock, forwards or backwards, in some hundred microseconds. Whatever it is asked from
  // then on happens at that instant; who sleeps or waits in it has been told to look at the clock.
  // Refused without a virtual clock, and for instants before 1970 or after end_of_time. Also where
  // it was crashed.
  Status set_clock(Instant at);

  // What time it is there: the server is asked.
  Result<Instant> clock();

  // All processes of the server are killed at once (SIGKILL); its data stay, and so does its clock.
  Status crash();

  // It ends in good order: whoever is connected is turned away, and what it has in memory is on its
  // disk before it ends. An error where it ends otherwise. `restart` starts it again.
  Status shut_down();

  // It answers again, on the same data and at the same url. Where it runs, it is killed first.
  Status restart();

  // All its processes stand still, and go on where they stood (SIGSTOP, SIGCONT). Nothing is lost,
  // nobody is answered meanwhile. Going on twice is harmless. Refused where it was crashed.
  Status pause();
  Status go_on();

  Replica replica() const { return replica_; }

  // Waits until the replica has everything. From then on a replica that lags gets nothing more; a
  // synchronous one gets it, or its primary would stand still, and does nothing with it. Refused
  // without a replica. A primary that was crashed is not waited for.
  Status hold_back(bool lags);

  // The primary is killed whole, its replica promoted in its place, on the same url, and a new
  // replica follows that one. A replica that was not told to lag has everything by then. The error:
  // nobody was promoted; then the primary is there again, on its data, with a new replica.
  Result<FailedOver> fail_over();
  // Whether its first process is there.
  bool is_running();
  // The numbers of all its processes; none of a container's are ours.
  Result<std::vector<int>> processes();

  // Its processes get so much memory and no more, each, besides what they have now; those that they
  // make live by the limit of their parent. Without a number they get what they like. Native only.
  Status limit_memory(std::optional<std::uint64_t> bytes);

  // What it says to its own client program with these arguments: psql, redis-cli. The error: the
  // client's last words.
  Result<std::string> ask(const std::vector<std::string>& words);

  // It and its data are gone. Twice is harmless; nothing else works afterwards.
  Status stop();

 private:
  friend Result<std::unique_ptr<Backend>> start_backend(std::string_view, const BackendOptions&);
  explicit Backend(std::string_view name) : name_(name) {}

  Status begin(const BackendOptions& options);
  Status serve(std::vector<std::string> more_words, const std::stop_token& stop);
  Result<std::unique_ptr<Process>> serve_beside(const std::string& verb,
                                                const std::stop_token& stop);
  Status serve_replica(const std::stop_token& stop);
  Result<FailedOver> promote();
  Status prove_clock(const std::string& lives_at);
  Status crash_it();
  Command command(const std::string& verb) const;

  std::mutex mutex_;
  const std::string name_;
  std::string folder_;  // ours: the scripts, and the state that they keep
  BackendKind kind_ = BackendKind::automatic;
  std::string url_, version_, port_;
  std::unique_ptr<ClockLibrary> clock_library_;
  std::unique_ptr<ClockFile> clock_;
  Replica replica_ = Replica::none;
  std::unique_ptr<Process> serving_;            // ends with the server
  std::unique_ptr<Process> serving_replica_;    // which outlives the server
  std::unique_ptr<Process> serving_sentinels_;  // while a failover is about to come
  bool stopped_ = false;
};

// Starts "postgres" or "redis" and waits until it answers. The error is a sentence that says what
// is missing and how to get it.
Result<std::unique_ptr<Backend>> start_backend(std::string_view name,
                                               const BackendOptions& options);

}  // namespace assay
