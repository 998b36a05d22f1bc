#include "harness/cli/queue/all.h"

namespace assay::cli::queue {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> all;
  for (const auto make :
       {enqueue,      work,          list,           inspect,         cancel,
        retry,        pause,         resume,         dead_list,       dead_requeue,
        dead_purge,   flow_submit,   flow_show,      flow_list,       flow_cancel,
        schedule_add, schedule_list, schedule_pause, schedule_resume, schedule_remove,
        stats,        stress,        reset})
    all.push_back(make());
  return all;
}

}  // namespace assay::cli::queue
