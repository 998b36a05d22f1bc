// The commands of the program, one file each. Each returns the exit status; what is wrong with its
// arguments has then been told on stderr.
#pragma once

#include <string>
#include <string_view>

#include "harness/cli/arguments.h"

namespace assay::cli {

// What the program was called as, for lines to paste.
struct Program {
  std::string name = "assay";
};

int certify_command(const CertifyArguments& arguments, const Program& program);
int replay_command(const ReplayArguments& arguments);
int explore_command(const ExploreArguments& arguments, const Program& program);
int chaos_command(const ChaosArguments& arguments, const Program& program);
int sweep_command(const SweepArguments& arguments, const Program& program);
int run_command(const RunArguments& arguments);
int judge_command(const JudgeArguments& arguments);
int serve_command(const ServeArguments& arguments);
inline constexpr std::string_view engine_worker_word = "engine-worker";
int engine_worker_command();  // for ourselves alone: no person is told of it
int proxy_command(const ProxyArguments& arguments);
int driver_command(const DriverCommandArguments& arguments);
int bench_command(const BenchArguments& arguments);
int queue_command(const QueueArguments& arguments, const Program& program);
int heal_command(const HealArguments& arguments);
int list_command(const ListArguments& arguments);
int explain_command(const ExplainArguments& arguments);
int print_command(const PrintArguments& arguments);

}  // namespace assay::cli
