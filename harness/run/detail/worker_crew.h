// WorkerCrew: the workers of a plan as processes, and what faults may lay their hands on: its
// clients are the workers, by index.
//
// Not thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/clock/process_clock.h"
#include "harness/run/detail/merged.h"
#include "harness/run/detail/worker_process.h"
#include "harness/run/engine_processes.h"

namespace assay::detail {

class WorkerCrew final : public Surroundings {
 public:
  // `order`: what each is to be, but for its worker and its way to the store. `tell` writes down
  // what befalls one. All is borrowed for life.
  WorkerCrew(const Plan& plan, const ProcessGrounds& grounds, WorkerOrder order,
             std::function<void(EngineEvent)> tell);

  // One that works is not started again; one that ends is waited for first.
  Status start(std::size_t index);
  void stop(std::size_t index);  // in good order, which takes its time
  Status start_all();
  // In good order; the error says who did not end.
  Status end_all();
  // Who ended though nobody wanted it to.
  std::optional<Error> unforeseen();
  // What all of them said, once they have ended.
  Status add_to(Merged& merged);

  // --- Surroundings ---
  Result<ClientProcess*> process_of(int worker) override;
  void doom(int worker) override;
  void lose(int worker) override;
  void let_return(bool) override {}
  void stall(int worker, bool is_stalled) override;
  Status skew(int, Duration, double) override;
  std::uint64_t skewed_calls(int) override { return 0; }
  int clients() const override { return static_cast<int>(plan_.workers.size()); }
  Result<Line> line_of(int worker) override;
  Result<ProcessClock*> clock_of(int worker) override;
  Result<Backend*> store() override;
  Result<Disk*> disk() override;
  Status store_is_back() override { return Done{}; }

 private:
  struct Member {
    std::unique_ptr<WorkerProcess> process;
    bool is_ending = false, is_doomed = false;
  };

  bool suffers(std::size_t index, bool (*is)(const FaultInfo&)) const;
  Result<WorkerOrder> order_for(std::size_t index);
  Result<Command> command_for(std::size_t index);
  // Until it has ended, and takes down what it said.
  Status bury(Member& member);
  const std::string& name_of(int worker) const {
    return plan_.workers[static_cast<std::size_t>(worker)].name;
  }

  const Plan& plan_;
  const ProcessGrounds& grounds_;
  const WorkerOrder order_;
  const std::function<void(EngineEvent)> tell_;
  std::vector<Member> members_;
  std::map<std::size_t, std::unique_ptr<ProcessClock>> clocks_;
  std::vector<std::vector<StampedLine>> said_;  // by those who have ended
  std::uint64_t starts_ = 0;
};

}  // namespace assay::detail
