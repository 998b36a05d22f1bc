// All tasks on fibers of one thread: a switch costs some nanoseconds, and no waiting for a core.
#include <cxxabi.h>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "harness/schedule/detail/task_carrier.h"

namespace assay::scheduling {
namespace {

namespace context = boost::context;

constexpr std::size_t stack_size = 512 * 1024;

// Which exceptions are being handled is known by thread, not by stack: a task that stands in a
// handler takes its own with it. The two fields are fixed by the C++ ABI.
struct Handling {
  void* caught = nullptr;
  unsigned int uncaught = 0;

  void swap_with_thread() {
    Handling mine = *this;
    std::memcpy(this, abi::__cxa_get_globals(), sizeof mine);
    std::memcpy(abi::__cxa_get_globals(), &mine, sizeof mine);
  }
};

class TaskFibers final : public TaskCarrier {
 public:
  explicit TaskFibers(Enter enter) : state_(std::make_shared<State>()) {
    state_->enter = std::move(enter);
  }

  void add(std::function<void()> life) override {
    // Not `this`: whoever never ends may outlive us.
    State* const state = state_.get();
    auto task = std::make_unique<Task>();
    task->fiber = {std::allocator_arg, context::protected_fixedsize_stack(stack_size),
                   [state, life = std::move(life)](context::fiber&& thread) {
                     state->thread = std::move(thread);
                     life();
                     return std::move(state->thread);
                   }};
    state_->tasks.push_back(std::move(task));
  }

  void go(int task) override { state_->next = task; }

  void stand(int) override { state_->thread = std::move(state_->thread).resume(); }

  void begin() override {
    carrier_ = std::thread([state = state_] { state->carry(); });
  }

  void end(const std::function<bool(int)>& has_ended, bool hung) override {
    if (hung)
      carrier_.detach();
    else
      carrier_.join();
    bool all = true;
    for (std::size_t i = 0; i < state_->tasks.size(); ++i)
      all = all && has_ended(static_cast<int>(i));
    // To take the stack of one that stands away would be to unwind it.
    if (!all) new std::shared_ptr<State>(state_);
  }

 private:
  struct Task {
    context::fiber fiber;
    Handling handling;
  };
  struct State {
    Enter enter;
    std::vector<std::unique_ptr<Task>> tasks;
    context::fiber thread;  // while a task is on: where it came from
    int next = -1;

    void carry() {
      while (next >= 0) {
        const int number = std::exchange(next, -1);
        Task& task = *tasks[static_cast<std::size_t>(number)];
        enter(number);
        task.handling.swap_with_thread();
        context::fiber rest = std::move(task.fiber).resume();
        task.handling.swap_with_thread();
        task.fiber = std::move(rest);
      }
    }
  };

  const std::shared_ptr<State> state_;  // shared with the thread that carries
  std::thread carrier_;
};

}  // namespace

std::unique_ptr<TaskCarrier> task_fibers(Enter enter) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return task_threads(std::move(enter));
#else
  return std::make_unique<TaskFibers>(std::move(enter));
#endif
}

}  // namespace assay::scheduling
