// ThreadCarrier: clients on threads of their own, kept from run to run.
#pragma once

#include <thread>

#include "harness/schedule/detail/baton.h"

namespace assay::scheduling {

class ThreadCarrier final : public Carrier {
 public:
  // `outside` is borrowed for life; null: every gate is in the clients' own threads.
  explicit ThreadCarrier(Patience patience, Outside* outside = nullptr);
  ~ThreadCarrier() override;

  Gates& gates() override { return *baton_; }
  Explored run(std::vector<std::function<void()>> bodies, Strategy& strategy,
               const std::vector<int>& clients = {}) override;

  Baton& baton() { return *baton_; }

 private:
  void watch_over(std::unique_lock<std::mutex>& lock);
  void leave_behind();
  void grow(std::size_t clients);

  const Patience patience_;
  std::shared_ptr<Baton> baton_ = std::make_shared<Baton>();  // shared with the threads
  std::vector<std::thread> threads_;
  bool left_behind_ = false;
};

}  // namespace assay::scheduling
