#include "harness/schedule/scheduler.h"

#include <algorithm>

#include "harness/contract/check.h"

namespace assay {

Scheduler::Scheduler(Strategy& strategy, int clients)
    : strategy_(strategy), clients_(static_cast<std::size_t>(clients)) {}

int Scheduler::joins() {
  clients_.emplace_back();
  ++happened_;
  return static_cast<int>(clients_.size()) - 1;
}

void Scheduler::stands(int client) {
  if (moving_ == client) moving_ = -1;
}

void Scheduler::at_gate(int client, const char* where) {
  at(client).state = State::ready;
  at(client).where = where;
  ++happened_;
  stands(client);
}

void Scheduler::waits(int client, const char* for_what, const void* on) {
  at(client) = {State::waiting, for_what, on, happened_};
  stands(client);
}

void Scheduler::opened(const void* on) {
  for (Client& client : clients_)
    if (client.state == State::waiting && client.on == on) client.state = State::ready;
  ++happened_;
}

void Scheduler::ended(int client) {
  at(client).state = State::ended;
  ++ended_;
  ++happened_;
  stands(client);
}

void Scheduler::lost_sight(int client) {
  at(client).state = State::unseen;
  stands(client);
}

void Scheduler::wake_all() {
  for (Client& client : clients_)
    if (client.state == State::waiting) client.state = State::ready;
}

bool Scheduler::anybody_out_of_sight() const {
  return std::ranges::any_of(clients_, [](const Client& c) { return c.state == State::unseen; });
}

bool Scheduler::anybody_could() const {
  return std::ranges::any_of(clients_, [this](const Client& c) { return can_move(c); });
}

bool Scheduler::is_under_way(int client) const {
  const State state = clients_[static_cast<std::size_t>(client)].state;
  return state == State::moving || state == State::unseen;
}

std::vector<int> Scheduler::not_ended() const {
  std::vector<int> all;
  for (std::size_t i = 0; i < clients_.size(); ++i)
    if (clients_[i].state != State::ended) all.push_back(static_cast<int>(i));
  return all;
}

// Whoever waits for anything at all tries again once something happened, so that a lock that is
// polled is no deadlock for as long as somebody goes on.
bool Scheduler::can_move(const Client& client) const {
  return client.state == State::ready ||
         (client.state == State::waiting && !client.on && happened_ > client.since);
}

std::optional<int> Scheduler::let_one_go() {
  CHECK(moving_ < 0);
  candidates_.clear();
  for (std::size_t i = 0; i < clients_.size(); ++i)
    if (can_move(clients_[i])) candidates_.push_back(static_cast<int>(i));
  if (candidates_.empty()) return std::nullopt;
  moving_ = last_ = strategy_.choose(candidates_, last_);
  at(moving_).state = State::moving;
  moves_.push_back(moving_);
  return moving_;
}

std::vector<Waiting> Scheduler::who_waits() const {
  std::vector<Waiting> all;
  for (std::size_t i = 0; i < clients_.size(); ++i)
    if (clients_[i].state == State::waiting)
      all.push_back({static_cast<int>(i), clients_[i].where});
  return all;
}

}  // namespace assay
