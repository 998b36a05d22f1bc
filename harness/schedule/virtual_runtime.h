// VirtualRuntime: tasks of which one moves at a time, in virtual time. Whose turn it is the
// strategy decides; where nobody can go on time jumps to the earliest deadline. Same strategy, same
// settings, same body: same moves.
//
// Tasks are carried by threads that pass a baton, or by fibers of one thread, many times as fast,
// for those that block their thread nowhere but here. Which of the two does not change the moves.
// Time and tasks are the runtime's own, one run each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/contract/gates.h"
#include "harness/contract/runtime.h"
#include "harness/schedule/strategy.h"

namespace assay {

struct VirtualSettings {
  std::uint64_t max_moves = 1'000'000;
  bool fibers = false;
  // How often of a hundred moves time passes although somebody could move: a slow machine. It
  // passes at most to the next deadline.
  int slow_percent = 0;
  std::uint64_t seed = 0;    // for what no strategy decides: how slow, and whom notify_one wakes
  double hang_seconds = 30;  // of the machine's time in which nobody comes to a gate
  Instant begin = run_epoch;
};

// How a run ended, and who moved in it.
struct VirtualRun {
  std::vector<int> moves;             // by task, in the order of their starts; `time_moved`: time
  std::vector<std::string> names;     // of the tasks
  bool over_bound = false;            // there were too many moves
  std::vector<std::string> deadlock;  // nobody could ever go on: who waits for what
  std::vector<std::string> hung;      // came to no gate for too long
  std::vector<std::string> left_behind;  // were let go, and had not ended

  static constexpr int time_moved = -1;

  bool is_whole() const { return !over_bound && deadlock.empty() && hung.empty(); }
  std::string told() const;  // for people; of a whole run: ""
};

class VirtualRuntime final : public Runtime {
 public:
  // The strategy is borrowed for life.
  explicit VirtualRuntime(Strategy& strategy, VirtualSettings settings = {});
  ~VirtualRuntime() override;

  // Runs the body as the first task, named "main", and returns when all tasks have ended, or
  // those that have not were let go and cannot go on. Whoever is left in a run that is not whole
  // stands still for good, with all that it holds: it touches nothing any more. Called once.
  VirtualRun run(std::function<void()> body);

  // For drivers that take part in the schedule. Lives as long as the runtime.
  Gates& gates();

  Clock& clock() override;
  std::unique_ptr<Task> start(std::string name, std::function<void(std::stop_token)> body) override;
  std::unique_ptr<Monitor> monitor(const char* name) override;

  class Core;

 private:
  std::shared_ptr<Core> core_;  // shared with tasks and monitors, which may outlive the runtime
};

}  // namespace assay
