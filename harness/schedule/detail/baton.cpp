#include "harness/schedule/detail/baton.h"

#include "harness/contract/check.h"

namespace assay::scheduling {

thread_local const Baton* Baton::of = nullptr;
thread_local int Baton::me = -1;

bool Baton::on() const { return of == this && !over.load(std::memory_order_relaxed); }

void Baton::pass(const char* where) {
  if (!on()) return;
  std::unique_lock lock(mutex);
  scheduler->at_gate(me, where);
  stand(lock);
}

bool Baton::wait(const char* for_what, const void* what) {
  CHECK(on());
  std::unique_lock lock(mutex);
  if (giving_up) return false;
  scheduler->waits(me, for_what, what);
  stand(lock);
  return !giving_up;
}

void Baton::opened(const void* what) {
  if (!on()) return;
  const std::lock_guard lock(mutex);
  scheduler->opened(what);
}

void Baton::stands_outside(int client, const char* where) {
  scheduler->at_gate(client, where);
  clients[static_cast<std::size_t>(client)]->is_outside = true;
}

// Returns when it is the caller's turn again.
void Baton::stand(std::unique_lock<std::mutex>& lock) {
  if (let_go() == me) return;
  lock.unlock();
  clients[static_cast<std::size_t>(me)]->go.acquire();
}

int Baton::let_go() {
  if (over || scheduler->anybody_moves()) return -1;
  if (outside && !outside->look(*scheduler)) return -1;
  auto next = scheduler->let_one_go();
  if (!next && !scheduler->all_ended() && !scheduler->anybody_out_of_sight()) next = way_out();
  if (!next) return -1;
  Client& client = *clients[static_cast<std::size_t>(*next)];
  if (std::exchange(client.is_outside, false)) outside->go(*next);
  // Its own semaphore is not needed by one that stands here itself.
  else if (of != this || *next != me)
    client.go.release();
  return *next;
}

// Where everybody waits.
std::optional<int> Baton::way_out() {
  const WayOut way = outside && !giving_up ? outside->break_deadlock(*scheduler) : WayOut::none;
  if (way == WayOut::comes) return std::nullopt;
  if (way == WayOut::none) {
    // They wait for each other. Each is told so, one after the other.
    explored.deadlock = scheduler->who_waits();
    giving_up = true;
    if (outside) outside->give_up();
    scheduler->wake_all();
  }
  return scheduler->let_one_go();
}

void Baton::work(Client& client, int number) {
  of = this;
  me = number;
  for (;;) {
    client.go.acquire();
    if (closing) return;
    client.body();
    const std::lock_guard lock(mutex);
    client.body = nullptr;
    scheduler->ended(me);
    let_go();
    if (scheduler->all_ended()) all_done.notify_one();
  }
}

}  // namespace assay::scheduling
