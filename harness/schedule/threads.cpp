#include <chrono>

#include "harness/schedule/detail/thread_carrier.h"

namespace assay {
namespace scheduling {

ThreadCarrier::ThreadCarrier(Patience patience, Outside* outside) : patience_(patience) {
  baton_->outside = outside;
}

ThreadCarrier::~ThreadCarrier() {
  baton_->closing = true;
  for (auto& client : baton_->clients) client->go.release();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

static Explored all_hung(std::size_t clients) {
  Explored explored;
  for (std::size_t i = 0; i < clients; ++i) explored.hung.push_back(static_cast<int>(i));
  return explored;
}

Explored ThreadCarrier::run(std::vector<std::function<void()>> bodies, Strategy& strategy,
                            const std::vector<int>&) {
  if (bodies.empty()) return {};
  if (left_behind_) return all_hung(bodies.size());
  grow(bodies.size());
  std::unique_lock lock(baton_->mutex);
  baton_->scheduler.emplace(strategy, static_cast<int>(bodies.size()));
  baton_->explored = {};
  baton_->giving_up = false;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    baton_->clients[i]->body = std::move(bodies[i]);
    baton_->clients[i]->is_outside = false;
  }
  baton_->over = false;
  baton_->let_go();
  watch_over(lock);
  baton_->over = true;
  baton_->explored.moves = baton_->scheduler->moves();
  return std::move(baton_->explored);
}

// Until all have ended: who comes to no gate for too long is left alone, and the others go on.
void ThreadCarrier::watch_over(std::unique_lock<std::mutex>& lock) {
  const auto done = [&] { return baton_->scheduler->all_ended(); };
  const double look_seconds = baton_->outside ? patience_.look_seconds : patience_.gate_seconds;
  const std::chrono::duration<double> pause(look_seconds);
  std::size_t seen = baton_->scheduler->happened();
  double still_seconds = 0, unseen_seconds = 0;
  while (!baton_->all_done.wait_for(lock, pause, done)) {
    const bool is_still = baton_->scheduler->happened() == seen;
    still_seconds = is_still ? still_seconds + look_seconds : 0;
    if (still_seconds >= patience_.end_seconds) return leave_behind();
    const bool moves = is_still && baton_->scheduler->anybody_moves();
    const bool is_busy = moves && baton_->outside && baton_->outside->tick(*baton_->scheduler);
    unseen_seconds = moves && !is_busy ? unseen_seconds + look_seconds : 0;
    if (unseen_seconds >= patience_.gate_seconds && baton_->scheduler->anybody_moves()) {
      baton_->scheduler->lost_sight(baton_->scheduler->moving());
      baton_->explored.lost_sight = true;
      unseen_seconds = 0;
    }
    baton_->let_go();
    seen = baton_->scheduler->happened();
  }
}

void ThreadCarrier::leave_behind() {
  baton_->explored.hung = baton_->scheduler->not_ended();
  for (std::thread& thread : threads_) thread.detach();
  threads_.clear();
  left_behind_ = true;
}

void ThreadCarrier::grow(std::size_t clients) {
  while (threads_.size() < clients) {
    const int number = static_cast<int>(threads_.size());
    baton_->clients.push_back(std::make_unique<Baton::Client>());
    Baton::Client& client = *baton_->clients.back();
    threads_.emplace_back([baton = baton_, &client, number] { baton->work(client, number); });
  }
}

}  // namespace scheduling

std::unique_ptr<Carrier> thread_carrier(Patience patience) {
  return std::make_unique<scheduling::ThreadCarrier>(patience);
}

}  // namespace assay
