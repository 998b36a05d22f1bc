// People: the clients of a run: their sessions, who died and begins anew, who stands still, whose
// clock is wrong. And what faults may lay their hands on, for it is people whom they befall.
//
// Thread-safe while clients move, but for `open`, `forget` and `close`.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/clock/process_clock.h"
#include "harness/contract/driver.h"
#include "harness/fault/fault.h"
#include "harness/plan/plan.h"
#include "harness/run/run.h"

namespace assay::detail {

// The run's own clock, where time is ours.
class Times {
 public:
  virtual ~Times() = default;
  // As faults and clients that died ask for it, while others move.
  virtual Instant present() = 0;
  // The store's clock was stepped: the run's goes along, and the history says so.
  virtual void stepped_to(Instant now) = 0;
};

class People final : public Surroundings {
 public:
  // All is borrowed for life. `is_troubled`: something was made to go wrong, in the run so far.
  People(const Plan& plan, const Stage& stage, const Profile& profile, Times& times,
         std::function<bool()> is_troubled);

  // Opens everybody's session on the driver, which replaces the one before.
  Status open(Driver& driver);
  // As they are: they are not closed.
  void forget() { sessions_.clear(); }
  // The first error; nobody is left open.
  Status close();

  // Its session is there until end_call; the client is back from the dead where it was.
  Result<Session*> begin_call(int client);
  void end_call(int client);
  // It closed its session itself, and stays closed.
  void closed(int client) { closed_[static_cast<std::size_t>(client)] = true; }
  std::size_t calling();

  bool is_stalled(int client);
  // Among others who move, it stands still; whoever let it stand lets it go on. False: nothing more
  // befalls anybody in the round, so nobody will.
  bool await_its_turn(int client);
  void let_world_move(bool moves);

  // Nobody waits for anything any more.
  void give_up();

  // The clock that this client believes in, when the present is `now`; a call is made with it.
  Instant now_of(int client, Instant now);

  // It goes to its store over a line of ours: one of the plan's faults makes that bad. All others
  // go straight there, at no cost.
  bool has_line(int client) const { return has_line_[static_cast<std::size_t>(client)]; }

  // Where its process is to be killed in its next call.
  std::optional<Cut> trap_of(int client);
  // It was, in the middle of that call.
  void it_died(int client);

  // --- what faults may do ---

  Result<ClientProcess*> process_of(int client) override;
  void doom(int client) override;
  void lose(int client) override;
  void let_return(bool may) override;
  void stall(int client, bool is_stalled) override;
  Status skew(int client, Duration offset, double drift) override;
  std::uint64_t skewed_calls(int client) override;
  int clients() const override { return static_cast<int>(plan_.clients.size()); }
  Result<Line> line_of(int client) override;
  Status kill_at(int client, const Cut& cut) override;
  std::optional<std::string> killed_at(int client) override;
  void spare(int client) override;
  Result<ProcessClock*> clock_of(int client) override;
  Result<Backend*> store() override;
  Result<Disk*> disk() override;
  Status store_is_back() override;
  Result<Instant> store_time() override;
  Status step_store_clock(Duration by) override;

 private:
  struct Person {
    bool is_calling = false;
    bool is_dead = false;  // and its call has not ended
    bool is_stalled = false;
    std::optional<Cut> trap;            // it is to die there
    std::optional<std::string> killed;  // how it did
    Duration offset{0};                 // of its clock
    double drift = 0;
    Instant since = {};
    std::uint64_t skewed_calls = 0;
  };

  Person& at(int client) { return people_[static_cast<std::size_t>(client)]; }
  std::unique_ptr<Session>& session_of(int client) {
    return sessions_[static_cast<std::size_t>(client)];
  }
  bool by_caller() const { return profile_.clock == ClockKnob::caller; }
  Result<std::unique_ptr<Session>> open_session(int client);
  Result<std::unique_ptr<Session>> open_once(int client);
  Status add_clock(int client, SessionSpec& spec);
  Status revive(int client);
  // Some fault of the plan of which that is true befalls the client.
  bool suffers(int client, bool (*is)(const FaultInfo&)) const;

  const Plan& plan_;
  const Stage& stage_;
  const Profile& profile_;
  Times& times_;
  const std::function<bool()> is_troubled_;
  std::vector<bool> has_line_;  // by client
  Driver* driver_ = nullptr;
  std::map<int, std::unique_ptr<ProcessClock>> clocks_;  // of clients' processes

  std::mutex mutex_;  // of all that follows, while clients move and die
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<bool> closed_;
  std::vector<Person> people_;
  std::condition_variable changed_;  // somebody is dead no more, or he may go on
  bool world_moves_ = false;         // in the round that is on
  bool gave_up_ = false;
  std::condition_variable door_;  // for those who come back:
  std::optional<std::thread::id> shut_by_;
  int returning_ = 0;  // so many are in it
};

}  // namespace assay::detail
