// Each task on a thread of its own.
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#include "harness/schedule/detail/task_carrier.h"

namespace assay::scheduling {
namespace {

class TaskThreads final : public TaskCarrier {
 public:
  explicit TaskThreads(Enter enter) : enter_(std::move(enter)) {}

  void add(std::function<void()> life) override {
    const std::lock_guard lock(mutex_);
    const auto number = static_cast<int>(all_.size());
    all_.push_back(std::make_unique<Carried>());
    Carried& task = *all_.back();
    // What it needs of us is copied: it may outlive us.
    task.thread = std::thread([&task, number, enter = enter_, life = std::move(life)]() mutable {
      enter(number);
      task.go.acquire();
      life();
    });
  }
  void go(int task) override { at(task).go.release(); }
  void stand(int task) override { at(task).go.acquire(); }
  void begin() override {}
  void end(const std::function<bool(int)>& has_ended, bool) override {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (has_ended(static_cast<int>(i)))
        all_[i]->thread.join();
      else
        all_[i]->thread.detach();
    }
  }

 private:
  struct Carried {
    std::binary_semaphore go{0};
    std::thread thread;
  };
  // Who has let another go may still look for its own place here, while that one adds more.
  Carried& at(int task) {
    const std::lock_guard lock(mutex_);
    return *all_[static_cast<std::size_t>(task)];
  }

  const Enter enter_;
  std::mutex mutex_;  // of the list, not of those in it
  std::vector<std::unique_ptr<Carried>> all_;
};

}  // namespace

std::unique_ptr<TaskCarrier> task_threads(Enter enter) {
  return std::make_unique<TaskThreads>(std::move(enter));
}

}  // namespace assay::scheduling
