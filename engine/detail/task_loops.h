// The loops that look at tasks: each page by page through the queues, and on where it stopped.
#pragma once

#include "engine/detail/office.h"

namespace assay::engine::detail {

// Looks through the tasks of one state.
class TaskLoop : public Loop {
 public:
  TaskLoop(Office& office, JobState state) : Loop(office), state_(state) {}

  Result<bool> turn(Line& line) final;

 protected:
  virtual std::optional<Error> look_at(Line& line, const Job& task) = 0;

  Instant now_ = {};  // by the store, when the page was asked for

 private:
  Result<bool> look_into(Line& line, const std::string& queue, int& pages);

  const JobState state_;
  std::map<std::string, std::string> cursors_;
};

// A task that waited for its time (a retry, or one that was delayed from the start) became ready by
// that time alone: nobody was told.
class RetryScheduler final : public TaskLoop {
 public:
  explicit RetryScheduler(Office& office) : TaskLoop(office, JobState::ready) {}

 private:
  std::optional<Error> look_at(Line& line, const Job& task) override;
};

class LeaseReaper final : public TaskLoop {
 public:
  explicit LeaseReaper(Office& office) : TaskLoop(office, JobState::leased) {}

 private:
  std::optional<Error> look_at(Line& line, const Job& task) override;
  bool can_only_end(const Job& task) const;
  std::optional<Error> end(Line& line, const Job& task);
};

class ReAnnouncer final : public TaskLoop {
 public:
  explicit ReAnnouncer(Office& office) : TaskLoop(office, JobState::ready) {}

 private:
  std::optional<Error> look_at(Line& line, const Job& task) override;
};

}  // namespace assay::engine::detail
