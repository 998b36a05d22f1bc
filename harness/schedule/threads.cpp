// Clients on threads that pass a baton: whoever comes to a gate wakes the one that moves next.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <semaphore>
#include <thread>

#include "harness/contract/check.h"
#include "harness/contract/clock.h"
#include "harness/schedule/carrier.h"

namespace assay {
namespace {

// What threads and carrier share. A thread that hangs keeps it, so that it may still wake up.
struct Crew : Gates {
  struct Client {
    std::binary_semaphore go{0};
    std::function<void()> body;
  };

  // Who the calling thread is.
  static thread_local const Crew* of;
  static thread_local int me;

  bool on() const override { return of == this && !over.load(std::memory_order_relaxed); }

  void pass(const char* where) override {
    if (!on()) return;
    std::unique_lock lock(mutex);
    scheduler->at_gate(me, where);
    stand(lock);
  }

  bool wait(const char* for_what, const void* what) override {
    CHECK(on());
    std::unique_lock lock(mutex);
    if (giving_up) return false;
    scheduler->waits(me, for_what, what);
    stand(lock);
    return !giving_up;
  }

  void opened(const void* what) override {
    if (!on()) return;
    const std::lock_guard lock(mutex);
    scheduler->opened(what);
  }

  // Returns when it is the caller's turn again.
  void stand(std::unique_lock<std::mutex>& lock) {
    if (let_go() == me) return;
    lock.unlock();
    clients[static_cast<std::size_t>(me)]->go.acquire();
  }

  // Whom it let go, if anybody.
  int let_go() {
    if (over || scheduler->anybody_moves()) return -1;
    auto next = scheduler->let_one_go();
    if (!next && !scheduler->all_ended() && !scheduler->anybody_out_of_sight()) {
      // They wait for each other. Each is told so, one after the other.
      explored.deadlock = scheduler->who_waits();
      giving_up = true;
      scheduler->wake_all();
      next = scheduler->let_one_go();
    }
    if (!next) return -1;
    // Its own semaphore is not needed by one that stands here itself.
    if (of != this || *next != me) clients[static_cast<std::size_t>(*next)]->go.release();
    return *next;
  }

  // The list of clients may grow while a thread begins: it is told which is its own.
  void work(Client& client, int number) {
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

  std::mutex mutex;  // of all but the clients' semaphores and bodies
  std::condition_variable all_done;
  std::vector<std::unique_ptr<Client>> clients;  // grows between runs
  std::optional<Scheduler> scheduler;            // while there is a run
  Explored explored;
  bool giving_up = false;
  std::atomic<bool> over = true;  // no run is on
  std::atomic<bool> closing = false;
};

thread_local const Crew* Crew::of = nullptr;
thread_local int Crew::me = -1;

class ThreadCarrier final : public Carrier {
 public:
  explicit ThreadCarrier(Patience patience) : patience_(patience) {}

  ~ThreadCarrier() override {
    crew_->closing = true;
    for (auto& client : crew_->clients) client->go.release();
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  Gates& gates() override { return *crew_; }

  Explored run(std::vector<std::function<void()>> bodies, Strategy& strategy) override {
    if (bodies.empty()) return {};
    if (left_behind_) return all_hung(bodies.size());
    grow(bodies.size());
    std::unique_lock lock(crew_->mutex);
    crew_->scheduler.emplace(strategy, static_cast<int>(bodies.size()));
    crew_->explored = {};
    crew_->giving_up = false;
    for (std::size_t i = 0; i < bodies.size(); ++i) crew_->clients[i]->body = std::move(bodies[i]);
    crew_->over = false;
    crew_->let_go();
    watch_over(lock);
    crew_->over = true;
    crew_->explored.moves = crew_->scheduler->moves();
    return std::move(crew_->explored);
  }

 private:
  // Until all have ended: who comes to no gate for too long is left alone, and the others go on.
  void watch_over(std::unique_lock<std::mutex>& lock) {
    const auto done = [&] { return crew_->scheduler->all_ended(); };
    const auto pause = std::chrono::duration<double>(patience_.gate_seconds);
    std::size_t seen = crew_->scheduler->happened();
    double still_seconds = 0;
    while (!crew_->all_done.wait_for(lock, pause, done)) {
      still_seconds = crew_->scheduler->happened() == seen ? still_seconds + pause.count() : 0;
      if (still_seconds >= patience_.end_seconds) return leave_behind();
      if (still_seconds > 0 && crew_->scheduler->anybody_moves()) {
        crew_->scheduler->lost_sight(crew_->scheduler->moving());
        crew_->explored.lost_sight = true;
        crew_->let_go();
      }
      seen = crew_->scheduler->happened();
    }
  }

  void leave_behind() {
    crew_->explored.hung = crew_->scheduler->not_ended();
    for (std::thread& thread : threads_) thread.detach();
    threads_.clear();
    left_behind_ = true;
  }

  static Explored all_hung(std::size_t clients) {
    Explored explored;
    for (std::size_t i = 0; i < clients; ++i) explored.hung.push_back(static_cast<int>(i));
    return explored;
  }

  void grow(std::size_t clients) {
    while (threads_.size() < clients) {
      const int number = static_cast<int>(threads_.size());
      crew_->clients.push_back(std::make_unique<Crew::Client>());
      Crew::Client& client = *crew_->clients.back();
      threads_.emplace_back([crew = crew_, &client, number] { crew->work(client, number); });
    }
  }

  const Patience patience_;
  std::shared_ptr<Crew> crew_ = std::make_shared<Crew>();  // shared with the threads
  std::vector<std::thread> threads_;
  bool left_behind_ = false;
};

}  // namespace

std::unique_ptr<Carrier> thread_carrier(Patience patience) {
  return std::make_unique<ThreadCarrier>(patience);
}

}  // namespace assay
