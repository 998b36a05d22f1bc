// Scheduler: knows of each client whether it stands at a gate, moves, waits or has ended, and lets
// one of those that can move, move. It knows neither threads nor stores: carriers tell it what
// happens and do what it says.
//
// Not thread-safe: carriers lock around it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/schedule/strategy.h"

namespace assay {

struct Waiting {
  int client = 0;
  std::string for_what;
};

class Scheduler {
 public:
  // Every client stands at a gate at first. The strategy is borrowed for life.
  Scheduler(Strategy& strategy, int clients);

  // --- what happens ---

  // Another one comes, and stands at a gate. Its number.
  int joins();
  void at_gate(int client, const char* where);
  // It cannot go on before somebody opens `on`; null: before anybody else has moved.
  void waits(int client, const char* for_what, const void* on);
  void opened(const void* on);
  void ended(int client);
  // It moves where nobody sees it, until it stands at a gate again.
  void lost_sight(int client);
  // Whoever waits may try again, whatever for.
  void wake_all();

  // --- what is to be done ---

  bool anybody_moves() const { return moving_ >= 0; }
  int moving() const { return moving_; }
  bool all_ended() const { return ended_ == static_cast<int>(clients_.size()); }
  bool anybody_out_of_sight() const;
  // It moves, in sight or not.
  bool is_under_way(int client) const;
  bool anybody_could() const;
  std::vector<int> not_ended() const;
  // Grows whenever anything happens.
  std::uint64_t happened() const { return happened_ + moves_.size(); }

  // Who moves now; nobody where none can. Requires: nobody moves.
  std::optional<int> let_one_go();

  // Those who have moved so far, move by move.
  const std::vector<int>& moves() const { return moves_; }

  std::vector<Waiting> who_waits() const;

 private:
  enum class State { ready, moving, waiting, ended, unseen };
  struct Client {
    State state = State::ready;
    const char* where = "start";
    const void* on = nullptr;
    std::uint64_t since = 0;  // waiting for anything: how much had happened by then
  };
  Client& at(int client) { return clients_[static_cast<std::size_t>(client)]; }
  void stands(int client);
  bool can_move(const Client& client) const;

  Strategy& strategy_;
  std::vector<Client> clients_;
  std::vector<int> candidates_;  // reused
  std::vector<int> moves_;
  int moving_ = -1;
  int last_ = -1;
  int ended_ = 0;
  std::uint64_t happened_ = 0;  // gates reached, locks opened, clients ended
};

}  // namespace assay
