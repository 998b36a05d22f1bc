// TaskCarrier: what the tasks of a virtual runtime run on: threads, or fibers of one thread. It
// knows no order: who goes on is said to it.
//
// `go` is said by whoever moves, under a lock of the caller's; everything else without it.
#pragma once

#include <functional>
#include <memory>

namespace assay::scheduling {

class TaskCarrier {
 public:
  virtual ~TaskCarrier() = default;

  // Another task, numbered in the order of these calls. Its life begins when it is first let go;
  // `enter` is called then, and where it goes on, on the thread that carries it.
  virtual void add(std::function<void()> life) = 0;

  // The task goes on as soon as the caller stands.
  virtual void go(int task) = 0;

  // The caller, this task, stands until it is let go.
  virtual void stand(int task) = 0;

  // The first task was let go: they begin to move.
  virtual void begin() = 0;

  // No task goes on any more. Those that have ended are cleared away; the others keep what they
  // hold. `hung`: one of them did not come back, and is not waited for.
  virtual void end(const std::function<bool(int task)>& has_ended, bool hung) = 0;
};

using Enter = std::function<void(int task)>;
std::unique_ptr<TaskCarrier> task_threads(Enter enter);
// Threads, where sanitizers do not follow from one stack to another.
std::unique_ptr<TaskCarrier> task_fibers(Enter enter);

}  // namespace assay::scheduling
