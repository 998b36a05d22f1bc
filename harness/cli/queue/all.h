// all_commands: the literal catalogue of `assay queue ...`.
#pragma once

#include <memory>
#include <vector>

#include "harness/cli/queue/command.h"

namespace assay::cli::queue {

std::vector<std::unique_ptr<Command>> all_commands();

std::unique_ptr<Command> enqueue();
std::unique_ptr<Command> work();
std::unique_ptr<Command> list();
std::unique_ptr<Command> inspect();
std::unique_ptr<Command> cancel();
std::unique_ptr<Command> retry();
std::unique_ptr<Command> pause();
std::unique_ptr<Command> resume();
std::unique_ptr<Command> dead_list();
std::unique_ptr<Command> dead_requeue();
std::unique_ptr<Command> dead_purge();
std::unique_ptr<Command> flow_submit();
std::unique_ptr<Command> flow_show();
std::unique_ptr<Command> flow_list();
std::unique_ptr<Command> flow_cancel();
std::unique_ptr<Command> schedule_add();
std::unique_ptr<Command> schedule_list();
std::unique_ptr<Command> schedule_pause();
std::unique_ptr<Command> schedule_resume();
std::unique_ptr<Command> schedule_remove();
std::unique_ptr<Command> stats();
std::unique_ptr<Command> stress();
std::unique_ptr<Command> reset();

}  // namespace assay::cli::queue
